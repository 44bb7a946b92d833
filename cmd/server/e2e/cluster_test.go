package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/sharedtest"
	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
	"collie/storage/storagetest"
)

// cluster are servers that share a database and a bucket.
type cluster struct {
	t               *testing.T
	dir             string
	database, blobs string
	bucket          *s3test.Server
	nodes           []*process
	listen          []string // their addresses, also after a restart
}

// startCluster starts the given number of servers; it skips the test without
// PostgreSQL or an S3 server.
func startCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	dir := t.TempDir()
	bucket := s3test.MustStart(t)
	c := &cluster{t: t, dir: dir, database: postgrestest.MustStart(t).MustURL(t, dir), bucket: bucket, blobs: bucket.Address(), nodes: make([]*process, nodes)}
	for i := range c.nodes {
		c.listen = append(c.listen, sharedtest.MustAddress(t))
		c.restart(i)
	}
	return c
}

// restart starts a server that is not running, with more arguments.
func (c *cluster) restart(i int, arguments ...string) {
	c.t.Helper()
	c.nodes[i] = start(c.t, filepath.Join(c.dir, fmt.Sprint(i)), append(arguments, "--listen", c.listen[i], "--database", c.database, "--blobs", c.blobs)...)
}

// TestCluster drives three servers on one database and one bucket.
func TestCluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	c := startCluster(t, 3)
	t.Run("page", c.page)
	t.Run("tabs", func(t *testing.T) { edit(t, c.nodes[0].url, c.nodes[1].url) })
	t.Run("kills", func(t *testing.T) { c.kills(t, func(i int) string { return c.nodes[i].url }) })
	t.Run("balancer", func(t *testing.T) {
		url := c.balance(t)
		c.replace(t, url, 0)
		c.kills(t, func(int) string { return url })
	})
	t.Run("failover", func(t *testing.T) { c.failover(t, c.balance(t)) })
	for _, p := range c.nodes {
		p.stop()
	}
}

// page checks that an edit at one server appears on pages of all others; a page of an
// image without edits, the control, gets none.
func (c *cluster) page(t *testing.T) {
	tr := newTraffic(t, c.nodes[0].url, 2)
	image, quiet := tr.workers[0], tr.workers[2]
	var pages []*tab
	for i, p := range c.nodes {
		pages = append(pages, &tab{tb: t, number: i, server: strings.TrimPrefix(p.url, "http://"), image: image.image, history: &history{began: time.Now()}})
	}
	control := &tab{tb: t, number: 9, server: pages[1].server, image: quiet.image, history: pages[0].history}
	var others []time.Duration                      // from the acknowledgement until another server's page has it
	for round := range storagetest.Rounds(2, 200) { // the pages are open when the second one comes
		if err := image.click(t.Context(), c.nodes[0].url); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for i, page := range pages {
			page.follow(image.seq, began.Add(2*time.Minute))
			if i > 0 && round > 0 {
				others = append(others, time.Since(began))
			}
			if page.shown != image.seq {
				t.Errorf("the page of server %d shows event %d of %d", i, page.shown, image.seq)
			}
		}
	}
	slices.Sort(others)
	t.Logf("%d edits are on pages of other servers after %v (median), %v (p99)", len(others), others[len(others)/2].Round(time.Millisecond), others[len(others)*99/100].Round(time.Millisecond))
	control.follow(1, time.Now().Add(time.Second))
	if control.shown != 0 {
		t.Errorf("the page of an image without edits shows event %d", control.shown)
	}
	for _, page := range append(pages, control) {
		if page.conn != nil {
			page.drop()
		}
	}
}

// The servers answer what HAProxy asks them to find out whether they are ready.
func TestHealthCheckOfHAProxy(t *testing.T) {
	config, err := os.ReadFile("../../../deploy/cluster/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^ *option httpchk GET (\S+)$`).FindStringSubmatch(string(config))
	if asked == nil {
		t.Fatal("HAProxy asks no server whether it is ready")
	}
	p := start(t, t.TempDir())
	if status := p.answers(asked[1]); status != http.StatusOK {
		t.Errorf("GET %s is answered with %d", asked[1], status)
	}
	p.stop()
}

// balance starts HAProxy before the servers and returns its address.
func (c *cluster) balance(t *testing.T) (url string) {
	t.Helper()
	return balance(t, c.listen)
}

// balance starts HAProxy before three servers, as deploy/cluster does, with changes to
// its configuration, and returns its address.
func balance(t *testing.T, listen []string, changes ...string) (url string) {
	t.Helper()
	program := sharedtest.MustHAProxy(t)
	config, err := os.ReadFile("../../../deploy/cluster/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	address := sharedtest.MustAddress(t)
	text := strings.NewReplacer(append(changes, "bind :8080", "bind "+address, "a:8080", listen[0], "b:8080", listen[1], "c:8080", listen[2])...).Replace(string(config)) +
		"    stats enable\n    stats uri /state\n    timeout check 30s\n" // a server on a busy machine is not down; one that was killed refuses at once
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-db", "-f", file)
	log := new(output)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url = "http://" + address
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var ready []byte
		if _, err := send(t.Context(), http.MethodGet, url+"/readyz", "", nil, &ready); err == nil {
			return url
		} else if time.Now().After(end) {
			t.Fatalf("%v\n%s", err, log)
		}
	}
}

// kills kills one server after the other while clients click and upload at the address
// for it: the others have all that it acknowledged. An image that is deleted, the
// control, is missed.
func (c *cluster) kills(t *testing.T, url func(i int) string) {
	tr := newTraffic(t, c.nodes[0].url, 2)
	tr.dead = true
	for kill := range storagetest.Rounds(2, 100) {
		i := kill % len(c.nodes)
		victim := c.nodes[i]
		timer := time.AfterFunc(100*time.Millisecond+rand.N(500*time.Millisecond), func() { _ = victim.cmd.Process.Kill() })
		tr.runFor(time.Second, url(i))
		timer.Stop()
		_ = victim.cmd.Wait()
		tr.check(c.nodes[(i+1)%len(c.nodes)].url, time.Now())
		c.restart(i)
	}
	for _, p := range c.nodes {
		tr.runFor(200*time.Millisecond, p.url)
	}
	for _, p := range c.nodes {
		tr.check(p.url, time.Now())
	}
	var deleted string
	for id := range tr.uploads {
		if !slices.ContainsFunc(tr.workers, func(w *clicker) bool { return w.image == id }) {
			deleted = id
		}
	}
	var gone []byte
	if _, err := send(t.Context(), http.MethodDelete, c.nodes[0].url+"/api/v1/images/"+deleted, "", nil, &gone); err != nil {
		t.Fatal(err)
	}
	if lost, _, _ := tr.compare(c.nodes[1].url, time.Now()); lost != 1 {
		t.Errorf("control: %d lost, want the one that was deleted", lost)
	}
}

// Each database that can't be used is refused in a sentence that names the setting.
func TestUnusableDatabases(t *testing.T) {
	t.Parallel()
	gateway := s3test.MustStart(t)
	server := postgrestest.MustStart(t)
	dir := t.TempDir()
	url := server.MustURL(t, dir)
	for name, c := range map[string]struct {
		want      string
		arguments []string
	}{
		"no bucket":        {"--database needs --blobs", []string{"--database", url}},
		"no server":        {"--database: the database postgres on 127.0.0.1: can't be reached", []string{"--database", "postgres://collie:secret@127.0.0.1:1/postgres", "--blobs", gateway.Address()}},
		"no notifications": {"can't be reached for notifications (--database-listen", []string{"--database", url, "--database-listen", "postgres://collie:secret@127.0.0.1:1/postgres", "--blobs", gateway.Address()}},
		"no URL":           {"--database: the address of the database can't be read", []string{"--database", "postgres://collie:secret@/x?port=x", "--blobs", gateway.Address()}},
		"read-only":        {"is read-only", []string{"--database", url + "&default_transaction_read_only=on", "--blobs", gateway.Address()}},
	} {
		refuses(t, c.want, append(c.arguments, "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, name))...)
	}
	none := filepath.Join(dir, "none")
	refuses(t, "server users add NAME --role admin --data "+none+" --database … --blobs …", "--auth", "--listen", "127.0.0.1:0", "--data", none, "--database", url, "--blobs", gateway.Address())
	own := start(t, filepath.Join(dir, "first"), "--database", url, "--blobs", gateway.Address())
	refuses(t, "belongs to another installation", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "second"), "--database", server.MustURL(t, dir+" second"), "--blobs", gateway.Address())
	part := strings.Replace(gateway.Address(), "collie?", "collie/part?", 1) // mistyped, before there are images
	refuses(t, "correct --blobs", "--auth", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "third"), "--database", url, "--blobs", part)
	start(t, filepath.Join(dir, "third"), "--database", url, "--blobs", gateway.Address()).stop()
	refuses(t, "stop all servers first", "restore", os.Args[0], "--data", none, "--database", url, "--blobs", gateway.Address())
	command(t, "users", "list", "--data", none, "--database", url, "--blobs", gateway.Address())
	if out := command(t, "doctor", "--data", none, "--database", url, "--blobs", gateway.Address()); !strings.Contains(out, "bucket: s3://collie") || !strings.Contains(out, "0 images") || !strings.Contains(out, "no synchronous standby") || !strings.Contains(own.stderr.String(), "no synchronous standby") {
		t.Errorf("doctor:\n%s", out)
	}
	own.stop()
}
