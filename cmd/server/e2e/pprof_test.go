package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/sharedtest"
)

// Profiles are served where asked for, and only to this machine; figures always.
func TestProfilesAndFigures(t *testing.T) {
	address := sharedtest.MustAddress(t)
	get := func(url string) string {
		t.Helper()
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", url, resp.StatusCode, err)
		}
		return string(b)
	}
	t.Setenv("COLLIE_PPROF", address)
	p := start(t, t.TempDir())
	if page := get("http://" + address + "/debug/pprof/"); !strings.Contains(page, "goroutine") {
		t.Errorf("profiles: %.200s", page)
	}
	p.sample()
	figures := get(p.url + "/metrics")
	for _, want := range []string{"collie_sockets 0\n", `collie_steps_waiting{class="later"} 0`} {
		if !strings.Contains(figures, want) {
			t.Errorf("figures lack %q", want)
		}
	}
	if strings.Contains(figures, "collie_store_sync_seconds_count 0\n") {
		t.Error("no commit has been counted")
	}
	resp, err := http.Get(p.url + "/debug/pprof/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("the server's own address answers for profiles: %d", resp.StatusCode)
	}
	p.stop()

	for address, want := range map[string]string{"0.0.0.0:0": "can be reached from other machines", "6060": "is not of the form ADDRESS:PORT"} {
		cmd := exec.Command(binary, "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"), "--pprof", address)
		cmd.Env = append(os.Environ(), "COLLIE_PPROF=")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("--pprof %s: %v %s", address, err, out)
		}
	}
}
