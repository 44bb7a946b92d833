package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// binary is the program as it ships, without the race detector.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "collie")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "server")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// process is a running server.
type process struct {
	tb     testing.TB
	cmd    *exec.Cmd
	url    string
	stdout *bufio.Reader
	stderr *bytes.Buffer
}

var greeting = regexp.MustCompile(`^Collie is at (http://127\.0\.0\.1:\d+) and keeps its data in (/.*)\n$`)

// start runs the server on a free port; it is killed when the test ends.
func start(tb testing.TB, data string) *process {
	tb.Helper()
	p := &process{tb: tb, cmd: exec.Command(binary, "--listen", "127.0.0.1:0"), stderr: new(bytes.Buffer)}
	p.cmd.Env = append(os.Environ(), "COLLIE_DATA="+data)
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	p.stdout = bufio.NewReader(stdout)
	line, err := p.stdout.ReadString('\n')
	if err != nil {
		tb.Fatalf("no line on standard output: %v\n%s", err, p.stderr)
	}
	m := greeting.FindStringSubmatch(line)
	if m == nil || m[2] != data {
		tb.Fatalf("first line %q", line)
	}
	p.url = m[1]
	return p
}

// stop ends the server as a service manager does and checks that it ends well.
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

// What is there before a stop is there after the next start, and a page that is
// open is told of the stop.
func TestServeStopServe(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new", "folder")
	p := start(t, data)
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
	if took := time.Since(began); took > 5*time.Second {
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

func TestRefusesOtherMachines(t *testing.T) {
	for _, address := range []string{":8080", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80"} {
		out, err := exec.Command(binary, "--listen", address, "--data", filepath.Join(t.TempDir(), "data")).CombinedOutput()
		if exit := new(exec.ExitError); !errors.As(err, &exit) || !strings.Contains(string(out), "no login") {
			t.Errorf("--listen %s: %v %s", address, err, out)
		}
	}
}

// A client that starts a request and then says nothing is cut off.
func TestSilentClients(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a time limit")
	}
	p := start(t, t.TempDir())
	began := time.Now()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n")
	if err := conn.SetReadDeadline(began.Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection is still open after %v: %v", time.Since(began), err)
	}
}

// Whatever is uploaded, 16 at once, the answer is a record or a clear refusal,
// and the server needs little memory for it.
func TestHostileUploads(t *testing.T) {
	dir := shared(t, "corpus")
	p := start(t, t.TempDir())
	var project struct {
		ID string `json:"id"`
	}
	resp, err := http.Post(p.url+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Corpus"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.NewDecoder(resp.Body).Decode(&project), resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	names := make(chan string)
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for name := range names {
				if err := upload(p.url+"/api/v1/projects/"+project.ID+"/images", name); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	count := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names <- path
			count++
		}
		return err
	})
	close(names)
	workers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	peak := peakMemory(t, p.cmd.Process.Pid)
	t.Logf("%d files, peak %d MiB", count, peak>>20)
	if peak > 1<<30 {
		t.Errorf("the server's memory reached %d MiB, want at most 1024", peak>>20)
	}
	p.stop()
	if bytes.Contains(p.stderr.Bytes(), []byte("panic")) {
		t.Errorf("the log tells of a panic:\n%s", p.stderr)
	}
}

// upload sends one file and reports an answer that is none of a record, a
// refusal or a request to wait.
func upload(url, name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(name))
	if err != nil {
		return err
	}
	if _, err := part.Write(content); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	resp, err := http.Post(url, form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusCreated && (resp.StatusCode < 400 || resp.StatusCode >= 500) {
		return fmt.Errorf("%d %s", resp.StatusCode, answer)
	}
	return nil
}

// peakMemory is the most resident memory, in bytes, that a process has had.
func peakMemory(tb testing.TB, pid int) int64 {
	tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Skipf("the peak of memory is read from /proc: %v", err)
	}
	var kib int64
	for line := range strings.Lines(string(b)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	tb.Fatal("no VmHWM in /proc")
	return 0
}

// shared returns a folder of ../shared beside the module, or skips the test.
func shared(tb testing.TB, name string) string {
	tb.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", name))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("needs the files of ../shared/%s, which is not there", name)
	}
	return path
}
