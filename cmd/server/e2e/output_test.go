package e2e

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openFull opens a file whose disk is always full.
func openFull(t *testing.T) *os.File {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { full.Close() })
	return full
}

// A command whose output is lost says so and fails; what it did is done, except for
// a token.
func TestOutputIsLost(t *testing.T) {
	t.Parallel()
	data, full := filepath.Join(t.TempDir(), "data"), openFull(t)
	start(t, data).stop()
	saved := filepath.Join(t.TempDir(), "saved")
	for _, arguments := range [][]string{
		{"users", "add", "ada", "--role", "admin", "--data", data},
		{"users", "list", "--data", data},
		{"users", "invite", "ada", "--origin", "https://collie.example", "--data", data},
		{"tokens", "create", "ada", "robot", "--data", data},
		{"tokens", "list", "ada", "--data", data},
		{"doctor", "--data", data},
		{"backup", saved, "--data", data},
		{"audit", "--data", data},
		{"licences"},
		{"version"},
	} {
		cmd := exec.Command(binary, arguments...)
		var said bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("a long pass phrase\n"), full, &said
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "not everything could be printed: ") {
			t.Errorf("%q: %v, %q", arguments, err, said.String())
		}
	}
	if _, err := os.Stat(saved); err != nil {
		t.Error(err)
	}
}

// A token whose secret nobody has seen doesn't exist.
func TestTokenIsLost(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if out, err := users(data, "correct horse\n", "add", "ann"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	unread, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	unread.Close()
	for name, lost := range map[string]*os.File{"full": openFull(t), "pipe": closed} {
		cmd := exec.Command(binary, "tokens", "create", "ann", name, "--data", data)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = lost, &said
		// A closed pipe ends the program without a word.
		if err := cmd.Run(); err == nil || name == "full" && !strings.Contains(said.String(), "no token was created") {
			t.Errorf("%s: %v, %q", name, err, said.String())
		}
	}
	if list, err := attempt(data, "", "tokens", "list", "ann"); err != nil || list != "" {
		t.Errorf("%v %s", err, list)
	}
}

// A server whose greeting is lost works, and ends well.
func TestGreetingIsLost(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	cmd := exec.Command(binary, "--listen", address, "--data", filepath.Join(t.TempDir(), "data"), "--drain", "0s")
	var said output
	cmd.Stdout, cmd.Stderr = openFull(t), &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + address + "/readyz")
		if err == nil {
			resp.Body.Close()
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("%v\n%s", err, &said)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &said)
	}
}
