package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A server that was killed and whose write-ahead log then lost its end says so
// when it starts, as does the doctor until it is told that this is known. Control:
// after the same kill with the whole log nobody says anything.
func TestLostLog(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"cut": true, "control": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			p := start(t, data)
			for range 20 {
				p.post("/api/v1/projects", "application/json", []byte(`{"name":"Lost"}`), nil)
			}
			if err := p.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = p.cmd.Wait()
			log := filepath.Join(data, "collie.db-wal")
			info, err := os.Stat(log)
			if err != nil || info.Size() < 64<<10 {
				t.Fatalf("the log has %v, %v", info, err)
			}
			if cut {
				if err := os.Truncate(log, info.Size()*2/3); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				p = start(t, data)
				p.stop()
				if says := strings.Contains(p.stderr.String(), "transactions are missing"); says != cut {
					t.Errorf("the server says so: %v\n%s", says, p.stderr)
				}
			}
			doctor := func(flags ...string) (string, error) {
				out, err := exec.Command(binary, append([]string{"doctor", "--data", data}, flags...)...).CombinedOutput()
				return string(out), err
			}
			if out, err := doctor(); strings.Contains(out, "transactions are missing") != cut || (err != nil) != cut {
				t.Errorf("the doctor: %v\n%s", err, out)
			}
			if out, err := doctor("--repair"); err != nil {
				t.Errorf("the repair: %v\n%s", err, out)
			}
			if out, err := doctor(); err != nil || strings.Contains(out, "missing") {
				t.Errorf("after the repair: %v\n%s", err, out)
			}
		})
	}
}
