// Package e2e drives the built server: what its commands do, and what it keeps when
// disks, networks and other servers fail.
package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"collie/sharedtest"
	"collie/storage/postgres/postgrestest"
)

// binary is the program as it ships, or with the race detector when the tests
// are built with it.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "collie")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "server")
	if out, err := exec.Command("go", "build", "-ldflags=-s", fmt.Sprintf("-race=%t", sharedtest.Race), "-o", binary, "collie/cmd/server").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	const proxy = "github.com/Shopify/toxiproxy/v2" // its stopped connections may hang on to each other
	goleak.VerifyTestMain(suite{m}, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}), goleak.IgnoreAnyFunction(proxy+".(*ToxicLink).read"), goleak.IgnoreAnyFunction(proxy+".(*ToxicLink).write"),
		goleak.IgnoreAnyFunction(proxy+"/toxics.(*ToxicStub).Run"))
}

// suite runs the tests, and ends the database that they share.
type suite struct{ *testing.M }

func (s suite) Run() int { return postgrestest.Main(s.M) }

// process is a running server.
type process struct {
	tb     testing.TB
	cmd    *exec.Cmd
	url    string
	stdout *bufio.Reader
	stderr *output
}

// output collects what a process writes; it can be read while the process runs.
type output struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lines.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lines.String()
}

var greeting = regexp.MustCompile(`^Collie is at (https?://[0-9.:\[\]]+:\d+) and keeps its data in (?:a database and a bucket; its own files are in )?(/.*)\n$`)

// start runs the server on a free port, with more arguments; it is killed when
// the test ends.
func start(tb testing.TB, data string, arguments ...string) *process {
	tb.Helper()
	p, err := launch(tb, data, nil, arguments...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// launch is start for a server that can end before it is ready, optionally run by
// another program.
func launch(tb testing.TB, data string, under []string, arguments ...string) (*process, error) {
	tb.Helper()
	return run(tb, data, slices.Concat(under, []string{binary}, arguments)...)
}

// run starts a server, perhaps of another release or by another program, and waits
// until it is ready.
func run(tb testing.TB, data string, command ...string) (*process, error) {
	tb.Helper()
	p, err := begin(tb, data, command...)
	if err == nil {
		err = p.greets(data)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// begin is run for a server that is not ready yet.
func begin(tb testing.TB, data string, command ...string) (*process, error) {
	tb.Helper()
	p := &process{tb: tb, cmd: exec.Command(command[0], command[1:]...), stderr: new(output)}
	p.cmd.Env = append(os.Environ(), "COLLIE_LISTEN=127.0.0.1:0", "COLLIE_DATA="+data, "COLLIE_DRAIN=0s")
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	tb.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		if strings.Contains(p.stderr.String(), "DATA RACE") {
			tb.Errorf("the server has a data race:\n%s", p.stderr)
		}
	})
	p.stdout = bufio.NewReader(stdout)
	return p, nil
}

// greets waits until the server says where it is.
func (p *process) greets(data string) error {
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		return fmt.Errorf("no line on standard output: %w\n%s", err, p.stderr)
	}
	m := greeting.FindStringSubmatch(line)
	if m == nil || m[2] != data {
		return fmt.Errorf("first line %q", line)
	}
	p.url = m[1]
	return nil
}

// stop ends the server as a service manager does and checks that it exits cleanly.
func (p *process) stop() {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.tb.Fatal(err)
	}
	rest, err := io.ReadAll(p.stdout)
	if err != nil || len(rest) > 0 {
		p.tb.Errorf("standard output goes on with %q, %v", rest, err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.tb.Errorf("the server ended with %v\n%s", err, p.stderr)
	}
}

// sample makes a project with the sample image and returns its id.
func (p *process) sample() string {
	p.tb.Helper()
	var project struct {
		ID string `json:"id"`
	}
	p.call("POST", "/api/v1/sample", http.StatusCreated, &project)
	return project.ID
}

func (p *process) call(method, path string, status int, into any) {
	p.tb.Helper()
	r, err := http.NewRequestWithContext(p.tb.Context(), method, p.url+path, nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		p.tb.Fatalf("%s %s: %d %v %s", method, path, resp.StatusCode, err, b)
	}
	if err := json.Unmarshal(b, into); err != nil {
		p.tb.Fatal(err)
	}
}

// Data survives a restart, and an open page is told that the server stops.
func TestServeStopServe(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new", "folder")
	p := start(t, data, "--stop-timeout", "1m")
	var made struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Classes []any  `json:"classes"`
		Images  []struct {
			ID      string `json:"id"`
			Width   int    `json:"width"`
			Regions int    `json:"regions"`
		} `json:"images"`
	}
	p.call("POST", "/api/v1/sample", http.StatusCreated, &made)
	if made.Name != "Sample" || len(made.Classes) < 5 || len(made.Images) != 1 || made.Images[0].Width < 500 || made.Images[0].Regions < 100 {
		t.Errorf("sample %+v", made)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(p.url, "http")+"/api/v1/images/"+made.Images[0].ID+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	defer conn.Close()
	closed := make(chan error, 1)
	go func() {
		_, _, err := conn.ReadMessage()
		closed <- err
	}()
	began := time.Now()
	p.stop()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("stopping took %v", took)
	}
	if err := <-closed; !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
		t.Errorf("the socket ended with %v, want close code 1012", err)
	}

	p = start(t, data)
	var list []struct {
		ID string `json:"id"`
	}
	p.call("GET", "/api/v1/projects", http.StatusOK, &list)
	if len(list) != 1 || list[0].ID != made.ID {
		t.Errorf("projects after the restart: %+v", list)
	}
	p.stop()
}

// A client that starts a request and then says nothing is cut off.
func TestSilentClients(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: waits for a time limit")
	}
	t.Parallel()
	p := start(t, t.TempDir())
	began := time.Now()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n")
	if err := conn.SetReadDeadline(began.Add(25 * time.Second)); err != nil { // after 30 s a whole request is too late
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection is still open after %v: %v", time.Since(began), err)
	}
}
