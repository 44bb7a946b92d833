package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
	"collie/storage/storagetest"
)

// cluster are servers that share a database and a bucket.
type cluster struct {
	t               *testing.T
	dir             string
	database, blobs string
	nodes           []*process
}

// startCluster starts so many servers, or skips the test without PostgreSQL or an S3
// server.
func startCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	dir := t.TempDir()
	c := &cluster{t: t, dir: dir, database: postgrestest.MustStart(t).MustURL(t, dir), blobs: s3test.MustStart(t).Address(), nodes: make([]*process, nodes)}
	for i := range c.nodes {
		c.restart(i)
	}
	return c
}

// restart starts a server that is not running.
func (c *cluster) restart(i int) {
	c.t.Helper()
	c.nodes[i] = start(c.t, filepath.Join(c.dir, fmt.Sprint(i)), "--database", c.database, "--blobs", c.blobs)
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
	t.Run("kills", c.kills)
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
	for range 2 { // the pages are open when the second one comes
		if err := image.click(t.Context(), c.nodes[0].url); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for i, page := range pages {
			page.follow(image.seq, began.Add(30*time.Second))
			t.Logf("event %d is on a page of server %d after %v", image.seq, i, time.Since(began).Round(time.Millisecond))
			if page.shown != image.seq {
				t.Errorf("the page of server %d shows event %d of %d", i, page.shown, image.seq)
			}
		}
	}
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

// kills kills one server after the other while clients click and upload there: the
// others have all that it acknowledged. An image that is deleted, the control, is
// missed.
func (c *cluster) kills(t *testing.T) {
	tr := newTraffic(t, c.nodes[0].url, 2)
	for kill := range storagetest.Rounds(4, 100) {
		i := kill % len(c.nodes)
		victim := c.nodes[i]
		timer := time.AfterFunc(100*time.Millisecond+rand.N(500*time.Millisecond), func() { _ = victim.cmd.Process.Kill() })
		tr.runFor(time.Second, victim.url)
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
		"no bucket": {"--database needs --blobs", []string{"--database", url}},
		"no server": {"--database: the database postgres on 127.0.0.1: can't be reached", []string{"--database", "postgres://collie:secret@127.0.0.1:1/postgres", "--blobs", gateway.Address()}},
		"no URL":    {"--database: the address of the database can't be read", []string{"--database", "postgres://collie:secret@/x?port=x", "--blobs", gateway.Address()}},
		"read-only": {"is read-only", []string{"--database", url + "&default_transaction_read_only=on", "--blobs", gateway.Address()}},
	} {
		refuses(t, c.want, append(c.arguments, "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, name))...)
	}
	own := start(t, filepath.Join(dir, "first"), "--database", url, "--blobs", gateway.Address())
	refuses(t, "belongs to another installation", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "second"), "--database", server.MustURL(t, dir+" second"), "--blobs", gateway.Address())
	refuses(t, "pg_dump", "backup", filepath.Join(dir, "backup.tar"), "--data", filepath.Join(dir, "none"), "--database", url, "--blobs", gateway.Address())
	command(t, "users", "list", "--data", filepath.Join(dir, "none"), "--database", url, "--blobs", gateway.Address())
	if out := command(t, "doctor", "--data", filepath.Join(dir, "none"), "--database", url, "--blobs", gateway.Address()); !strings.Contains(out, "bucket: s3://collie") || !strings.Contains(out, "0 images") {
		t.Errorf("doctor:\n%s", out)
	}
	own.stop()
}
