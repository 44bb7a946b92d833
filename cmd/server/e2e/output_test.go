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

// A command whose output is lost says so and fails; what it did is done.
func TestOutputIsLost(t *testing.T) {
	t.Parallel()
	data, full := filepath.Join(t.TempDir(), "data"), openFull(t)
	start(t, data).stop()
	saved := filepath.Join(t.TempDir(), "saved")
	for _, arguments := range [][]string{
		{"users", "add", "ada", "--role", "admin", "--data", data},
		{"users", "list", "--data", data},
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
