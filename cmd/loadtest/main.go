// Command loadtest puts simulated annotators to work on a running server and
// reports how long their clicks took. The load is open-loop: every press of the
// button and its release are due at times drawn in advance and are measured from
// then on, so a slow server neither gets fewer clicks nor hides its delays
// (coordinated omission).
package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/alecthomas/kong"

	"collie/cmd/internal/progress"
	"collie/web"
)

// plan says what load to generate, and where.
type plan struct {
	URL    []string `name:"url" default:"http://127.0.0.1:8080" help:"Address of the server, without a path; several for servers that share a database, which then take turns. What their /metrics say is added up."`
	Remote bool     `help:"Allow a server on another machine."`
	Token  string   `env:"COLLIE_TOKEN" help:"API token of scope admin of an admin, for servers with login; better given in the environment. All annotators are then that one user, so start such a server with --user-sockets of at least --annotators and --idle together. Users take turns at the processors, so the figures are those of one busy user."`
	Data   string   `required:"" type:"path" placeholder:"DIR" help:"Folder with images/ID.jpg, .png or .tif and masks/ID.png; the masks tell annotators what to click."`

	Annotators  int           `default:"200" help:"Simulated people who click, each on a different image."`
	Together    int           `default:"1" help:"Put this many of them on each image instead, where they stay. An edit goes on top of what others have done meanwhile."`
	Every       time.Duration `default:"2s" help:"Mean time between two clicks of one annotator. Gaps are exponential; a press that is due while the button is still down waits."`
	Stay        int           `default:"25" help:"Clicks on one image before its annotator opens the next."`
	Photographs int           `default:"40" help:"Different photographs of the folder to use."`
	Classes     int           `default:"21" help:"Number of classes in the masks, whose pixels are indices from 0, and 255 for void."`
	Uploads     float64       `default:"0" help:"Uploads of a large photograph per second during the clicks."`
	Megapixels  float64       `default:"12" help:"Size of the uploads."`
	Idle        int           `default:"0" help:"Additional sockets that stay open and send nothing."`

	Warmup   time.Duration `default:"10s" help:"Time before clicks count."`
	Duration time.Duration `default:"60s" help:"Time during which clicks count."`
	Overload float64       `default:"0" help:"Afterwards send this many times the clicks for half as long, then the usual number for half as long again. Clicks in the first 5 s after the overload don't count."`
	Seed     uint64        `default:"1" help:"The same seed gives clicks at the same times."`
	JSON     string        `name:"json" type:"path" placeholder:"FILE" help:"Also write the figures to this file."`
}

func main() {
	progress.Main("loadtest", &plan{}, kong.Description("Simulated annotators on a running Collie."))
}

// Run generates the load and prints the report.
func (p *plan) Run(t *progress.Terminal) error {
	ctx := t.Ctx
	s, err := p.check()
	if err != nil {
		return err
	}
	photographs, err := p.photographs()
	if err != nil {
		return err
	}
	defer s.trash()
	pool, err := s.fill(ctx, photographs, p.images()+max(1, p.images()/10), p.Classes, t.Bar)
	if err != nil {
		return err
	}
	r := p.recorder()
	before := s.vitals(ctx)
	if err := p.work(ctx, s, pool, r, t.Bar); err != nil {
		return err
	}
	lost, err := s.lost(ctx, pool)
	if err != nil {
		return err
	}
	report := r.report(p, before)
	report.Lost = lost
	report.table(t.Out)
	return errors.Join(report.write(p.JSON), report.failure())
}

// images is how many of them annotators work on at a time.
func (p *plan) images() int { return (p.Annotators + p.Together - 1) / p.Together }

// check looks at the flags and returns the server that they name.
func (p *plan) check() (*server, error) {
	s, err := newServer(p.Token, p.URL...)
	if err != nil {
		return nil, err
	}
	for _, base := range s.bases {
		if !web.Loopback(base.Host) && !p.Remote {
			return nil, fmt.Errorf("--url %s is another machine, and a load test can make it unusable for others: add --remote if you mean it", base)
		}
	}
	switch {
	case p.Annotators < 1 || p.Together < 1 || p.Every <= 0 || p.Stay < 1 || p.Photographs < 1:
		return nil, fmt.Errorf("--annotators, --together, --every, --stay and --photographs must be more than 0")
	case p.Classes < 1 || p.Classes > 255:
		return nil, fmt.Errorf("--classes %d must be from 1 to 255", p.Classes)
	case !(p.Uploads >= 0 && p.Uploads <= 1000):
		return nil, fmt.Errorf("--uploads %g must be from 0 to 1000", p.Uploads)
	case !(p.Megapixels > 0 && p.Megapixels <= 1000):
		return nil, fmt.Errorf("--megapixels %g must be more than 0, up to 1000", p.Megapixels)
	case !(p.Overload >= 0 && p.Overload <= 1000):
		return nil, fmt.Errorf("--overload %g must be from 0 to 1000", p.Overload)
	case p.Idle < 0:
		return nil, fmt.Errorf("--idle %d must not be negative", p.Idle)
	case p.Warmup < 0 || p.Duration <= 0:
		return nil, fmt.Errorf("--duration must be more than 0, and --warmup must not be negative")
	}
	if err := progress.ResultFile("--json", p.JSON); err != nil {
		return nil, err
	}
	return s, nil
}
