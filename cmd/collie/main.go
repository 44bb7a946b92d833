// Command collie uses a Collie server from scripts: it uploads images, imports
// masks and scores, sets statuses, exports labels, and waits for people to finish. It uses the
// API that /api on the server describes.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"collie/cmd/internal/help"
	"collie/cmd/internal/output"
	"collie/cmd/internal/version"
)

// commands are the subcommands and what all of them need.
type commands struct {
	URL   string `default:"http://127.0.0.1:8080" env:"COLLIE_URL" help:"Address of the server."`
	Token string `env:"COLLIE_TOKEN" help:"API token, from your account page or 'server tokens create'; better given in the environment, where other users of this machine can't read it. A server without login needs none."`

	List   listCommand   `cmd:"" help:"List the projects (id, your role, name), or the images of one (id, status, size, name, status by hand, assigned to)."`
	Create createCommand `cmd:"" help:"Create a project and print its id."`
	Upload uploadCommand `cmd:"" help:"Upload images, or folders of them, to a project."`
	Import importCommand `cmd:"" help:"Import masks, classifier scores or embeddings into a project."`
	Export exportCommand `cmd:"" help:"Export a project's labels as a zip file."`
	Set    setCommand    `cmd:"" help:"Set the status of images, or who is to work on them."`
	Remove removeCommand `cmd:"" help:"Remove embeddings or first guesses from the images of a project; undo on an image brings them back."`
	Wait   waitCommand   `cmd:"" help:"Wait until people have labelled the images of a project everywhere: until 'collie list' says done of each. A status by hand doesn't count."`

	Version versionCommand `cmd:"" help:"Print the version of this program."`
}

// streams are where a command writes: results to stdout, progress to stderr.
type streams struct {
	stdout, stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var c commands
	printed := &output.Printed{To: os.Stdout}
	out := streams{printed, os.Stderr}
	command := kong.Parse(&c, kong.Name("collie"), kong.Description("Use a Collie server from scripts."), version.Flag, help.Command,
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(out),
		kong.BindToProvider(func() (*server, error) { return newServer(c.URL, c.Token) })) // for commands that need it
	err := command.Run()
	if err == nil {
		err = printed.Err
	}
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "collie:", err)
		stop()
		os.Exit(1)
	}
}

// listCommand lists projects or images.
type listCommand struct {
	Project string `arg:"" optional:"" help:"Id of a project, or its name if no other project has it."`
	JSON    bool   `help:"Print a JSON object a line, as the interface of the server describes them at /api."`
}

// reviews are the statuses by hand in the words of the page.
var reviews = map[string]string{"todo": "To do", "progress": "In progress", "done": "Marked done", "approved": "Approved", "rejected": "Rejected"}

// review is the status by hand; empty without one.
func (p *picture) review() string {
	if p.Review == nil {
		return ""
	}
	said := cmp.Or(reviews[p.Review.Status], p.Review.Status)
	if judged := p.Review.Status == "approved" || p.Review.Status == "rejected"; judged && p.Seq > p.Review.Seq {
		said += ", changed since"
	}
	return said
}

// Run prints a line per project, or per image, whose columns are separated by
// tabs, or the records as the server has them.
func (c *listCommand) Run(ctx context.Context, s *server, out streams) error {
	if c.JSON {
		return c.records(ctx, s, out)
	}
	if c.Project == "" {
		projects, err := s.projects(ctx)
		for _, p := range projects {
			fmt.Fprintf(out.stdout, "%s\t%s\t%s\n", p.ID, p.Role, p.Name)
		}
		return err
	}
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	images, err := s.images(ctx, p.ID)
	for _, im := range images {
		fmt.Fprintf(out.stdout, "%s\t%s\t%d × %d\t%s\t%s\t%s\n", im.ID, im.Status, im.Width, im.Height, im.Name, im.review(), im.Assignee)
	}
	return err
}

// records prints what the server says of each project or image.
func (c *listCommand) records(ctx context.Context, s *server, out streams) error {
	path := "/api/v1/projects"
	if c.Project != "" {
		p, err := s.project(ctx, c.Project)
		if err != nil {
			return err
		}
		path += "/" + p.ID + "/images"
	}
	var all []json.RawMessage
	err := s.send(ctx, "GET", path, nil, &all)
	for _, record := range all {
		var line bytes.Buffer
		if err := json.Compact(&line, record); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s\n", &line)
	}
	return err
}

// versionCommand prints the program's version; it needs no server.
type versionCommand struct{}

// Run prints the version, the commit and the Go version on one line.
func (versionCommand) Run(out streams) error {
	fmt.Fprintln(out.stdout, version.Text())
	return nil
}

// createCommand creates a project.
type createCommand struct {
	Name    string   `arg:"" help:"Name of the project."`
	Classes []string `help:"Names of the classes, in order; background and object by default."`
}

// Run prints the id of the new project.
func (c *createCommand) Run(ctx context.Context, s *server, out streams) error {
	type class struct {
		Name string `json:"name"`
	}
	body := struct {
		Name    string  `json:"name"`
		Classes []class `json:"classes,omitempty"`
	}{Name: c.Name}
	for _, name := range c.Classes {
		body.Classes = append(body.Classes, class{name})
	}
	var p project
	if err := s.send(ctx, "POST", "/api/v1/projects", body, &p); err != nil {
		return err
	}
	fmt.Fprintln(out.stdout, p.ID)
	return nil
}

// waitCommand waits until people have labelled everything.
type waitCommand struct {
	Project string        `arg:"" help:"Id of the project, or its name if no other project has it."`
	Timeout time.Duration `default:"0" help:"Fail after this time, such as 8h; 0 waits for ever."`
	Every   time.Duration `default:"10s" help:"How often to ask."`
}

// Run returns when all images are done, and fails after the timeout or if there
// are none: a script would go on without anybody's work.
func (c *waitCommand) Run(ctx context.Context, s *server, out streams) error {
	p, err := s.project(ctx, c.Project)
	if err != nil {
		return err
	}
	if c.Timeout < 0 {
		return fmt.Errorf("--timeout %v is less than 0", c.Timeout)
	}
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("not all images of %s were done within %v", p.Name, c.Timeout))
		defer cancel()
	}
	said, away := "", false
	for {
		images, err := s.images(ctx, p.ID)
		var f *failure
		switch {
		case errors.As(err, &f) && f.wait > 0: // people's work takes longer than any outage
			if !away {
				fmt.Fprintf(out.stderr, "waiting until the server is back: %v\n", err)
			}
			away = true
			if err := pause(ctx, max(c.Every, f.wait)); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case len(images) == 0:
			return fmt.Errorf("%s has no images; upload some first", p.Name)
		}
		away = false
		done, byHand := 0, 0
		for _, im := range images {
			switch {
			case im.Status == "done":
				done++
			case im.Review != nil && (im.Review.Status == "done" || im.Review.Status == "approved"):
				byHand++
			}
		}
		state := fmt.Sprintf("images done: %d of %d", done, len(images))
		if byHand > 0 {
			state += fmt.Sprintf("; done or approved by hand, but not labelled everywhere: %d", byHand)
		}
		if state != said {
			fmt.Fprintln(out.stderr, state)
			said = state
		}
		if done == len(images) {
			return nil
		}
		if err := pause(ctx, max(c.Every, 100*time.Millisecond)); err != nil {
			return err
		}
	}
}
