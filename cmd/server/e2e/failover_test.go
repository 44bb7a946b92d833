package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/sharedtest"
	"collie/storage/storagetest"
)

// failover kills one server after the other while pages edit through the balancer, and
// logs how long it takes until all of them have saved something again.
func (c *cluster) failover(t *testing.T, url string) {
	t.Helper()
	tr := newTraffic(t, url, 6)
	h := &history{began: time.Now()}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var pages []*tab
	for i := range 6 {
		page := &tab{tb: t, number: i, server: strings.TrimPrefix(url, "http://"), image: tr.workers[2*i].image, history: h}
		pages = append(pages, page)
		wait.Go(func() { page.work(stop) })
	}
	// saved waits until every page has saved something since a moment.
	saved := func(since int64) {
		t.Helper()
		for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			saves := map[int]bool{}
			h.mu.Lock()
			for _, o := range h.operations {
				if o.Return > since && !o.Output.(told).stale {
					saves[o.ClientId] = true
				}
			}
			h.mu.Unlock()
			if len(saves) == len(pages) {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("only %d of %d pages save", len(saves), len(pages))
			}
		}
	}
	saved(0)
	var took []time.Duration
	for kill := range storagetest.Rounds(1, 12) {
		i := kill % len(c.nodes)
		began := time.Now()
		_ = c.nodes[i].cmd.Process.Kill()
		_ = c.nodes[i].cmd.Wait()
		saved(h.now())
		took = append(took, time.Since(began))
		c.restart(i)
		time.Sleep(time.Duration(storagetest.Rounds(0, 2)) * time.Second) // the balancer looks at it once a second
	}
	close(stop)
	wait.Wait()
	for _, page := range pages {
		if page.conn != nil {
			page.drop()
		}
	}
	slices.Sort(took)
	t.Logf("after %d kills all %d pages have saved something again within %v (median), %v (longest)", len(took), len(pages), took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
}

// A request whose server has died goes to another one at once, also as long as HAProxy
// has not noticed.
func TestRedispatch(t *testing.T) {
	t.Parallel()
	var listen []string
	for range 2 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
		defer s.Close()
		listen = append(listen, s.Listener.Addr().String())
	}
	listen = append(listen, sharedtest.MustAddress(t)) // nobody is there, and HAProxy looks at the last one last
	url := balance(t, listen, "inter 1s", "inter 1h")
	for i := range 30 {
		began := time.Now()
		var b []byte
		if _, err := send(t.Context(), http.MethodGet, fmt.Sprintf("%s/api/v1/images/%d", url, i), "", nil, &b); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took >= 2*time.Second { // the server that is not there is tried again after a second
			t.Fatalf("a request took %v", took)
		}
	}
}

// TestClusterLoad measures three servers behind a balancer, all on this machine with
// the database and the bucket; it runs in the long form only.
func TestClusterLoad(t *testing.T) {
	data := sharedtest.Path(t, "data/voc")
	if !storagetest.Long {
		t.Skip("skipped without COLLIE_TORTURE: measures")
	}
	c := startCluster(t, 3)
	program := filepath.Join(t.TempDir(), "loadtest")
	if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", program, "collie/cmd/loadtest").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ways := []struct {
		name string
		urls []string
	}{
		{"one", []string{c.nodes[0].url}},
		{"direct", []string{c.nodes[0].url, c.nodes[1].url, c.nodes[2].url}},
		{"balancer", []string{c.balance(t)}},
	}
	for name, people := range map[string][]string{"apart": {"--annotators", "12"}, "together": {"--annotators", "200", "--together", "200", "--photographs", "1", "--every", "10s"}} {
		for _, way := range ways {
			t.Run(name+" "+way.name, func(t *testing.T) {
				all := append([]string{"--data", data, "--duration", "30s", "--warmup", "5s"}, people...)
				for _, url := range way.urls {
					all = append(all, "--url", url)
				}
				before, _ := os.ReadFile("/proc/loadavg") // for people
				out, err := exec.Command(program, all...).CombinedOutput()
				if err != nil {
					t.Error(err)
				}
				var most []int64 // MiB
				for _, p := range c.nodes {
					most = append(most, peakMemory(t, p.cmd.Process.Pid)>>20)
				}
				t.Logf("load average %s%speak memory of the servers so far: %d MiB\n", before, out, most)
			})
		}
	}
}
