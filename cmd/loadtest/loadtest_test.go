package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"collie/cmd/internal/progress"
	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/export/jobs"
	"collie/storage/workspacetest"
	"collie/superpixels"
	"collie/web"
	"collie/web/people"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mustServe starts a server as main does.
func mustServe(t *testing.T) *httptest.Server {
	t.Helper()
	return serve(t, workspacetest.MustOpenFolder(t, t.TempDir()), nil)
}

// serve starts a server on data.
func serve(t *testing.T, data workspacetest.Folder, login *people.Login) *httptest.Server {
	t.Helper()
	workspace, log := data.Workspace(), slog.New(slog.DiscardHandler)
	scratch, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	site := web.New(web.Config{Login: login, Workspace: workspace, Ready: data.Store.Ready, Log: log, Scratch: scratch, Exports: jobs.New(workspace, data.Blobs, data.Store, log)})
	listener := httptest.NewServer(site)
	t.Cleanup(func() {
		site.Close()
		listener.Close()
		if err := scratch.Close(); err != nil {
			t.Error(err)
		}
	})
	return listener
}

// mustDraw makes a data folder with two pictures of three stripes.
func mustDraw(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, id := range []string{"a", "b"} {
		img := image.NewNRGBA(image.Rect(0, 0, 180, 90))
		mask := image.NewGray(img.Rect)
		for y := range 90 {
			for x := range 180 {
				grain := uint8(rng.IntN(20))
				img.SetNRGBA(x, y, []color.NRGBA{{200, grain, 40, 255}, {20, 160, grain, 255}, {grain, 60, 220, 255}}[x/60])
				mask.SetGray(x, y, color.Gray{Y: uint8(x / 60)})
			}
		}
		var photograph, truth bytes.Buffer
		if err := jpeg.Encode(&photograph, img, nil); err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(&truth, mask); err != nil {
			t.Fatal(err)
		}
		for path, content := range map[string][]byte{"images/" + id + ".jpg": photograph.Bytes(), "masks/" + id + ".png": truth.Bytes()} {
			path = filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// A short load: every click is acknowledged and answered, annotators move on,
// uploads arrive, and an overload is measured separately. A machine that is too busy
// for it gets the same load at a slower pace.
func TestLoad(t *testing.T) {
	shorten(t)
	for pace := time.Duration(1); ; pace *= 4 {
		r, table := load(t, pace)
		wrong := faults(r)
		if len(wrong) == 0 {
			if !strings.Contains(table, "click to ack") || !strings.Contains(table, "overload, ms") {
				t.Errorf("table\n%s", table)
			}
			return
		}
		if pace == 64 {
			t.Fatal(strings.Join(wrong, "\n"))
		}
		t.Logf("again at a slower pace than 1/%d: %q", pace, wrong)
	}
}

// Several people on one image lose no click, however often they overtake each other.
func TestTogether(t *testing.T) {
	p := plan{
		URL: []string{mustServe(t).URL}, Data: mustDraw(t), Annotators: 6, Together: 6, Every: 200 * time.Millisecond, Stay: 1, Photographs: 1, Classes: 3, Megapixels: 1,
		Duration: time.Second, JSON: filepath.Join(t.TempDir(), "report.json"),
	}
	r, table := p.mustRun(t)
	counts := r.Phases[0].Counts
	if acks := r.Phases[0].Times[names[ack]].Count; r.Lost != 0 || acks == 0 || int(acks)+counts["clicks without an ack"] != counts["clicks"] || !strings.Contains(table, "6 on each image") {
		t.Errorf("%d acknowledged, %d lost\n%s", acks, r.Lost, table)
	}
}

// The report says why uploads failed, and a test without any that was stored is a failure.
func TestUploadsRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		fmt.Fprint(w, `{"detail":"The image has 200 megapixels, more than the limit of 100."}`)
	}))
	defer server.Close()
	s, err := newServer("", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{Uploads: 100, Duration: 200 * time.Millisecond}
	r := p.recorder()
	p.upload(t.Context(), s, r, nil, time.Now())
	report := r.report(p, nil)
	var table bytes.Buffer
	report.table(&table)
	if want := "usual, 19 uploads failed: The image has 200 megapixels, more than the limit of 100.\n"; !strings.Contains(table.String(), want) {
		t.Errorf("the table says nothing of %q:\n%s", want, &table)
	}
	if err := report.failure(); err == nil || err.Error() != "none of 19 uploads was stored" {
		t.Errorf("failure %v", err)
	}
	report.Phases[0].Counts["uploads"] = 1
	if err := report.failure(); err != nil {
		t.Errorf("with one upload: %v", err)
	}
}

// A server with login is loaded with a token, and says so without one.
func TestLogin(t *testing.T) {
	data := workspacetest.MustOpenFolder(t, t.TempDir())
	login := &people.Login{Accounts: accounts.New(data.Store, accounts.Limits{}), Sessions: data.Store}
	operator := access.With(t.Context(), access.Operator)
	if _, err := login.Accounts.Add(operator, "ann", "correct horse", access.Admin); err != nil {
		t.Fatal(err)
	}
	p := plan{
		URL: []string{serve(t, data, login).URL}, Data: mustDraw(t), Annotators: 2, Together: 1, Every: 200 * time.Millisecond, Stay: 4, Photographs: 1, Classes: 3, Megapixels: 1,
		Duration: time.Second, JSON: filepath.Join(t.TempDir(), "report.json"),
	}
	if err := p.Run(&progress.Terminal{Ctx: t.Context(), Out: new(bytes.Buffer)}); err == nil || !strings.Contains(err.Error(), "COLLIE_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	if err := login.Accounts.CreateTokenFor(operator, "ann", "load", access.Unrestricted, 0, func(secret string) error { p.Token = secret; return nil }); err != nil {
		t.Fatal(err)
	}
	if r, table := p.mustRun(t); r.Phases[0].Times[names[ack]].Count == 0 {
		t.Errorf("no click was acknowledged:\n%s", table)
	}
}

// load runs a load on a new server, pace times as slowly as a fast machine can.
func load(t *testing.T, pace time.Duration) (r report, table string) {
	t.Helper()
	p := plan{
		URL: []string{mustServe(t).URL}, Data: mustDraw(t), Annotators: 5, Together: 1, Every: 200 * time.Millisecond * pace, Stay: 4, Photographs: 2, Classes: 3,
		Uploads: 4 / float64(pace), Megapixels: 0.05, Idle: 2, Warmup: 100 * time.Millisecond * pace, Duration: 800 * time.Millisecond * pace, Overload: 2, Seed: 7,
		JSON: filepath.Join(t.TempDir(), "report.json"),
	}
	return p.mustRun(t)
}

// mustRun runs a plan and returns its report in both forms.
func (p *plan) mustRun(t *testing.T) (r report, table string) {
	t.Helper()
	var out bytes.Buffer
	if err := p.Run(&progress.Terminal{Ctx: t.Context(), Out: &out}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(p.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

// faults lists what a report should not say.
func faults(r report) (wrong []string) {
	if len(r.Phases) != 3 {
		return []string{fmt.Sprintf("phases %+v", r.Phases)}
	}
	for _, ph := range r.Phases {
		clicks := int64(ph.Counts["clicks"])
		for _, name := range []string{names[foreseen], names[ack], names[first]} {
			if s := ph.Times[name]; clicks < 5 || s.Count != clicks || s.P50 <= 0 || s.P50 > s.P99 || s.P99 > s.Max*1.001 {
				wrong = append(wrong, fmt.Sprintf("%s: %d clicks, %s %+v", ph.Name, clicks, name, s))
			}
		}
		for what, n := range ph.Counts {
			switch what {
			case "clicks", "suppositions", "seen before the release", "uploads":
			default:
				wrong = append(wrong, fmt.Sprintf("%s: %d %s", ph.Name, n, what))
			}
		}
	}
	if usual := r.Phases[0]; usual.Times[names[open]].Count < 1 || usual.Counts["uploads"] < 1 || usual.Counts["suppositions"] < 1 {
		wrong = append(wrong, fmt.Sprintf("images opened, uploads and suppositions: %+v", usual))
	}
	return wrong
}

// shorten shortens the time to settle after an overload.
func shorten(t *testing.T) {
	usual := settle
	settle = 100 * time.Millisecond
	t.Cleanup(func() { settle = usual })
}

func TestFlagsAreChecked(t *testing.T) {
	good := plan{URL: []string{"http://127.0.0.1:1"}, Annotators: 1, Together: 1, Every: time.Second, Stay: 1, Photographs: 1, Classes: 2, Megapixels: 1, Duration: time.Second}
	if _, err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*plan){
		"another machine": func(p *plan) { p.URL = append(p.URL, "http://192.0.2.7:8080") },
		"an address like": func(p *plan) { p.URL = []string{"localhost:8080"} },
		"--annotators":    func(p *plan) { p.Annotators = 0 },
		"--together":      func(p *plan) { p.Together = 0 },
		"--classes":       func(p *plan) { p.Classes = 300 },
		"--uploads -1":    func(p *plan) { p.Uploads = -1 },
		"--uploads 1e+10": func(p *plan) { p.Uploads = 1e10 },
		"--uploads NaN":   func(p *plan) { p.Uploads = math.NaN() },
		"--megapixels":    func(p *plan) { p.Megapixels = math.NaN() },
		"--overload":      func(p *plan) { p.Overload = math.Inf(1) },
		"--idle":          func(p *plan) { p.Idle = -1 },
		"--duration":      func(p *plan) { p.Duration = 0 },
		"--json":          func(p *plan) { p.JSON = filepath.Join(t.TempDir(), "nowhere", "report.json") },
	} {
		p := good
		change(&p)
		if _, err := p.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	remote := good
	remote.URL, remote.Remote = []string{"http://192.0.2.7:8080"}, true
	if _, err := remote.check(); err != nil {
		t.Errorf("--remote: %v", err)
	}
}

// Annotators click the middle of the largest wrong region, then what is left.
func TestNextClick(t *testing.T) {
	const width = 9 // superpixels 0 to 8 in a row; the first three and the last are of class 0
	m := &superpixels.Map{Width: width, Height: 1, N: width, Labels: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}}
	known, err := newTruth(m, []uint8{0, 0, 0, 1, 1, 1, 1, 1, segment.Void}, 2)
	if err != nil {
		t.Fatal(err)
	}
	shown, clicked := bytes.Repeat([]byte{segment.Void}, width), make([]bool, width)
	rng := rand.New(rand.NewPCG(1, 1))
	var got []int
	for range 2 {
		i := known.next(shown, clicked, rng)
		got = append(got, i)
		clicked[i] = true
		for j := range shown { // as if the hypothesis got the whole class right
			if known.class[j] == known.class[i] {
				shown[j] = known.class[j]
			}
		}
	}
	if diff := cmp.Diff([]int{5, 1}, got); diff != "" {
		t.Errorf("clicks (-want +got):\n%s", diff)
	}
	left := 0
	for i := known.next(shown, clicked, rng); i >= 0; i = known.next(shown, clicked, rng) {
		if i == 8 {
			t.Fatal("a superpixel without a class is clicked")
		}
		clicked[i] = true
		left++
	}
	if left != 6 {
		t.Errorf("%d further clicks, want 6", left)
	}
}

// Times count from when a click was due, in the phase of that moment.
func TestPhases(t *testing.T) {
	p := plan{Warmup: 10 * time.Second, Duration: 20 * time.Second, Overload: 3}
	r := p.recorder()
	for _, c := range []struct {
		at     time.Duration
		phase  string
		factor float64
	}{
		{9 * time.Second, "", 1},
		{10 * time.Second, "usual", 1},
		{30 * time.Second, "overload", 3},
		{39 * time.Second, "overload", 3},
		{41 * time.Second, "", 1},
		{45 * time.Second, "after", 1},
		{55 * time.Second, "", 1},
	} {
		name := ""
		if ph := r.phase(c.at); ph != nil {
			name = ph.name
		}
		if name != c.phase || r.factor(c.at) != c.factor {
			t.Errorf("at %v: phase %q, factor %v; want %q, %v", c.at, name, r.factor(c.at), c.phase, c.factor)
		}
	}
	r.time(ack, 11*time.Second, 40*time.Second)
	if got := r.phases[0].times[ack].Max(); got < 39e6 || r.end() != 55*time.Second {
		t.Errorf("an answer after the end of its phase is noted as %d µs; the end is at %v", got, r.end())
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := plan{URL: []string{mustServe(t).URL}, Data: mustDraw(t), Annotators: 1, Together: 1, Every: time.Second, Stay: 1, Photographs: 1, Classes: 3, Megapixels: 1, Duration: time.Hour}
	if err := p.Run(&progress.Terminal{Ctx: ctx, Out: new(bytes.Buffer)}); err == nil {
		t.Error("a run that was stopped says nothing")
	}
}

func TestNoServer(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	p := plan{URL: []string{gone.URL}, Data: mustDraw(t), Annotators: 1, Together: 1, Every: time.Second, Stay: 1, Photographs: 1, Classes: 3, Megapixels: 1, Duration: time.Second}
	if err := p.Run(&progress.Terminal{Ctx: t.Context(), Out: new(bytes.Buffer)}); err == nil || !strings.HasPrefix(err.Error(), "the server at "+gone.URL+" can't be reached") {
		t.Errorf("without a server: %v", err)
	}
}

// A test that can't begin leaves no project behind.
func TestTrashesWhatItBegan(t *testing.T) {
	data := workspacetest.MustOpenFolder(t, t.TempDir())
	p := plan{URL: []string{serve(t, data, nil).URL}, Data: mustDraw(t), Annotators: 1, Together: 1, Every: time.Second, Stay: 1, Photographs: 1, Classes: 2, Megapixels: 1, Duration: time.Hour}
	if err := p.Run(&progress.Terminal{Ctx: t.Context(), Out: new(bytes.Buffer)}); err == nil || !strings.Contains(err.Error(), "class 2") {
		t.Fatalf("masks of three classes with --classes 2: %v", err)
	}
	if left, err := data.Store.Projects(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%d projects are left, %v", len(left), err)
	}
}

// Several servers take turns.
func TestTurns(t *testing.T) {
	s, err := newServer("", "http://a", "http://b:1/path")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{s.socket("x"), s.socket("x"), s.socket("x")}
	want := []string{"ws://a/api/v1/images/x/socket", "ws://b:1/api/v1/images/x/socket", "ws://a/api/v1/images/x/socket"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sockets (-want +got):\n%s", diff)
	}
}
