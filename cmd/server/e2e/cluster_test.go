package e2e

import (
	"errors"
	"fmt"
	"io/fs"
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
	refuses(t, "stop all servers first", "restore", os.Args[0], "--data", none, "--database", url, "--blobs", gateway.Address())
	command(t, "users", "list", "--data", none, "--database", url, "--blobs", gateway.Address())
	if out := command(t, "doctor", "--data", none, "--database", url, "--blobs", gateway.Address()); !strings.Contains(out, "bucket: s3://collie") || !strings.Contains(out, "0 images") || !strings.Contains(out, "no synchronous standby") || !strings.Contains(own.stderr.String(), "no synchronous standby") {
		t.Errorf("doctor:\n%s", out)
	}
	own.stop()
}

// TestMove takes an installation from its folder to a bucket and a database, and back:
// what people did at each place is there, and each wrong way to start says what to do.
func TestMove(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	dir := t.TempDir()
	server := postgrestest.MustStart(t)
	data, blobs, url := filepath.Join(dir, "data"), s3test.MustStart(t).Address(), server.MustURL(t, dir)
	place := []string{"--data", data, "--blobs", blobs, "--database", url}
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(300*time.Millisecond, p.url)
	p.stop()
	shared := []string{"--data", filepath.Join(dir, "shared"), "--blobs", strings.Replace(blobs, "collie?", "collie/part?", 1), "--database", server.MustURL(t, dir+" restored")}
	checkRestore(t, tr, data, shared)
	refuses(t, "begin with: server move bucket", append([]string{"move", "database"}, place...)...)
	command(t, append([]string{"move", "bucket"}, place...)...)
	refuses(t, "has records itself", append([]string{"users", "list"}, place...)...)
	t.Log(command(t, append([]string{"move", "database"}, place...)...))
	refuses(t, "give its address with --database", "--data", data, "--blobs", blobs)

	p = start(t, data, "--database", url, "--blobs", blobs)
	tr.check(p.url, time.Now())
	done := make(chan struct{})
	copied, at := filepath.Join(dir, "backup.tar"), time.Now()
	go func() {
		time.Sleep(100 * time.Millisecond)
		tr.runFor(300*time.Millisecond, p.url)
		close(done)
	}()
	command(t, append([]string{"backup", copied}, place...)...)
	<-done
	command(t, "restore", copied, "--data", filepath.Join(dir, "restored"))
	restored := start(t, filepath.Join(dir, "restored"))
	tr.check(restored.url, at)
	restored.stop()
	refuses(t, "begin with: server move database --back --data "+data, append([]string{"move", "folder"}, place...)...)
	refuses(t, "another server", append([]string{"move", "database", "--back"}, place...)...)
	elsewhere := []string{"--data", filepath.Join(dir, "elsewhere"), "--blobs", blobs, "--database", url}
	refuses(t, "stop all servers first", append([]string{"move", "database", "--back"}, elsewhere...)...)
	p.stop()
	note := filepath.Join(data, "database")
	_ = killWhen(t, func() bool { _, err := os.Stat(note); return err != nil }, append([]string{"move", "database", "--back"}, place...)...)
	refuses(t, "was moved to "+data, append([]string{"users", "list"}, elsewhere...)...)
	if err := os.WriteFile(note, []byte("as if it was killed a moment before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Log(command(t, append([]string{"move", "database", "--back"}, place...)...))
	refuses(t, "was moved to "+data, append([]string{"move", "database", "--back"}, place...)...)
	command(t, append([]string{"move", "folder"}, place...)...)

	examine(t, data)
	p = start(t, data)
	tr.check(p.url, time.Now())
	p.stop()
}

// TestKilledMoves kills moves back halfway: the place that was in use before can still be
// used, and the same command, or one in the other direction, completes it. Killed any later,
// a move is in the audit log.
func TestKilledMoves(t *testing.T) {
	t.Parallel()
	server := postgrestest.MustStart(t)
	dir := t.TempDir()
	data, blobs, url := filepath.Join(dir, "data"), s3test.MustStart(t).Address(), server.MustURL(t, dir)
	files := []string{"--data", data, "--blobs", blobs}
	place := append(slices.Clone(files), "--database", url)
	p := start(t, data)
	tr := newTraffic(t, p.url, 2)
	tr.runFor(300*time.Millisecond, p.url)
	p.stop()
	checkAt := func(flags ...string) {
		t.Helper()
		p := start(t, data, flags...)
		tr.check(p.url, time.Now())
		tr.runFor(100*time.Millisecond, p.url)
		p.stop()
	}
	halfway := func(err error) {
		t.Helper()
		if err == nil {
			t.Fatal("the command ended before it was killed")
		}
	}

	logged := func(what string, place ...string) { // also of a move whose command was killed
		t.Helper()
		if log := command(t, append([]string{"audit"}, place...)...); !strings.Contains(log, what) {
			t.Errorf("the audit log has nothing of a move %q:\n%s", what, log)
		}
	}
	switches := func(note string, there bool, arguments ...string) { // killed when it goes on with the other place
		t.Helper()
		_ = killWhen(t, func() bool { return matches(filepath.Join(data, note))() == there }, arguments...)
		_ = exec.Command(binary, arguments...).Run() // refused if nothing is left to do
	}

	switches("bucket", true, append([]string{"move", "bucket"}, files...)...)
	logged("to the bucket", files...)
	switches("database", true, append([]string{"move", "database"}, place...)...)
	logged("to the database", place...)
	if err := os.Rename(filepath.Join(data, "records-moved-to-database", "collie.db"), filepath.Join(data, "collie.db")); err != nil { // as if it was killed before this
		t.Fatal(err)
	}
	for _, start := range [][]string{files, place} { // a move back that is killed before it marks the database leaves the same
		refuses(t, "was interrupted; complete it with the command 'server move database', and with --back", append([]string{"--listen", "127.0.0.1:0"}, start...)...)
	}
	command(t, append([]string{"move", "database"}, place...)...)
	refuses(t, "the records of "+data+" are in the database", append([]string{"move", "database"}, place...)...)
	halfway(killWhen(t, matches(filepath.Join(data, ".collie-part-*", "collie.db*")), append([]string{"move", "database", "--back"}, place...)...))
	checkAt(place[2:]...)
	_ = killWhen(t, matches(filepath.Join(data, "collie.db")), append([]string{"move", "database", "--back"}, place...)...)
	if matches(filepath.Join(data, "database"))() {
		refuses(t, "was interrupted", append([]string{"users", "list"}, place...)...)
		command(t, append([]string{"move", "database", "--back"}, place...)...)
	}
	halfway(killWhen(t, matches(filepath.Join(data, "blobs", "original", "*")), append([]string{"move", "folder"}, files...)...))
	checkAt(files[2:]...)
	if err := os.RemoveAll(filepath.Join(data, "blobs-moved-to-bucket")); err != nil {
		t.Fatal(err)
	}
	command(t, append([]string{"move", "bucket"}, files...)...)
	switches("bucket", false, append([]string{"move", "folder"}, files...)...)
	logged("from the bucket", "--data", data)
	examine(t, data)
	checkAt()
	if left, err := filepath.Glob(filepath.Join(data, ".collie-part-*")); err != nil || len(left) > 0 { // the server's start sweeps what kills leave
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// killWhen starts a command and kills it at a moment, and returns how it ended: without an
// error if that was before.
func killWhen(t *testing.T, now func() bool, arguments ...string) error {
	t.Helper()
	cmd := exec.Command(binary, arguments...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); !now(); time.Sleep(time.Millisecond / 10) {
		if time.Now().After(limit) {
			_ = cmd.Process.Kill()
			t.Fatalf("server %s was not killed halfway: %v", strings.Join(arguments, " "), cmd.Wait())
		}
	}
	_ = cmd.Process.Kill()
	return cmd.Wait()
}

// matches says whether a file is there that matches a pattern.
func matches(pattern string) func() bool {
	return func() bool { found, _ := filepath.Glob(pattern); return len(found) > 0 }
}

// checkRestore restores a backup of a data folder to an empty database and a bucket.
func checkRestore(t *testing.T, tr *traffic, data string, place []string) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "backup.tar")
	command(t, "backup", copied, "--data", data)
	refuses(t, "Nothing was restored", append([]string{"restore", binary}, place...)...)
	if _, err := os.Stat(place[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a broken backup leaves the data folder behind: %v", err)
	}
	// A server that was started too early has made the bucket that of the empty database.
	refuses(t, "server users add", append([]string{"--auth", "--listen", "127.0.0.1:0"}, place...)...)
	t.Log(command(t, append([]string{"restore", copied}, place...)...))
	refuses(t, "already has data", append([]string{"restore", copied}, place...)...)
	p := start(t, place[1], place[2:]...)
	tr.check(p.url, time.Now())
	p.stop()
	left, err := filepath.Glob(filepath.Join(place[1], ".collie-part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
