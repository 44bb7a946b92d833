package e2e

import (
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Strangers who open more connections than the program can open files keep nobody who
// is at work from images that were not open, nor from saving.
func TestConnectionsLeaveFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: opens hundreds of connections")
	}
	under := []string{"bash", "-c", `ulimit -n 160 && exec "$0" "$@"`}
	if err := exec.Command(under[0], under[1], under[2], "true").Run(); err != nil {
		t.Skipf("skipped: the shell can't limit open files: %v", err)
	}
	t.Parallel()
	p, err := launch(t, t.TempDir(), under)
	if err != nil {
		t.Fatal(err)
	}
	var images []struct{ ID string }
	p.call(http.MethodGet, "/api/v1/projects/"+p.sample()+"/images", http.StatusOK, &images) // over a connection that stays
	address := strings.TrimPrefix(p.url, "http://")
	for range 300 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break // the system's own queue is full
		}
		defer c.Close()
		if _, err := c.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	for _, what := range []string{"original", "display", "hypotheses?count=1"} {
		var b []byte
		if _, err := send(t.Context(), http.MethodGet, p.url+"/api/v1/images/"+images[0].ID+"/"+what, "", nil, &b); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.sample() // makes an image
	p.stop()
}
