package e2e

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/sharedtest"
	"collie/storage/postgres/postgrestest"
)

// freeze stops a server in the middle of whatever it does, and thaw lets it go on.
func (p *process) freeze() (thaw func()) {
	p.tb.Helper()
	return sharedtest.MustFreeze(p.tb, p.cmd.Process)
}

// TestClusterFrozen freezes a server: others go on with its images and its export. What
// it sends when it wakes up changes nothing. In the control, a transaction that stays
// open, as a frozen server's would, stops an image.
func TestClusterFrozen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	c := startCluster(t, 2)
	frozen, other := c.nodes[0], c.nodes[1]
	tr := newTraffic(t, frozen.url, 2)
	tr.dead = true
	tr.runFor(200*time.Millisecond, frozen.url)
	late := &clicker{image: tr.workers[0].image, seq: tr.workers[0].seq, next: segment.NewID()}

	thaw := frozen.freeze()
	answer := make(chan error, 1)
	go func() { answer <- late.click(t.Context(), frozen.url) }()
	before := tr.clicks()
	tr.runFor(time.Second, other.url)
	if tr.clicks() < before+len(tr.workers) {
		t.Errorf("%d clicks while a server was frozen", tr.clicks()-before)
	}
	c.control(t, tr)
	thaw()
	if err := <-answer; err != nil || len(late.acked) > 0 || late.seq < tr.workers[0].seq {
		t.Errorf("the late click: %v, acknowledged %v, sent to event %d; want a conflict", err, late.acked, late.seq)
	}
	tr.runFor(200*time.Millisecond, frozen.url)
	for _, p := range c.nodes {
		tr.check(p.url, time.Now())
	}
	c.staleLease(t, tr)
	for _, p := range c.nodes {
		p.stop()
	}
}

// control holds the row of an image in a transaction: a click on it gets no answer, one on
// another image does, and all is well when the transaction has ended.
func (c *cluster) control(t *testing.T, tr *traffic) {
	t.Helper()
	stopped, free := tr.workers[0], tr.workers[2]
	for before := len(stopped.acked); len(stopped.acked) == before; { // a click that comes too late wouldn't wait for the row
		if err := stopped.click(t.Context(), c.nodes[1].url); err != nil {
			t.Fatal(err)
		}
	}
	release := postgrestest.MustStart(t).MustHold(t, c.dir, "UPDATE image SET seq = seq WHERE id = '"+stopped.image+"'")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := stopped.click(ctx, c.nodes[1].url); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("control: a click on an image whose row is locked: %v", err)
	}
	if err := free.click(t.Context(), c.nodes[1].url); err != nil {
		t.Errorf("control: %v", err)
	}
	release()
}

// staleLease freezes a server that holds an export until another one has made it, and
// checks that it changes nothing when it wakes up.
func (c *cluster) staleLease(t *testing.T, tr *traffic) {
	t.Helper()
	frozen, other := c.nodes[0], c.nodes[1]
	awake, flowing := other.freeze(), c.bucket.MustFreeze(t) // so that it is the first that begins, and can't end
	path := beginExport(t, frozen, tr.project, "coco")
	awaitExport(t, frozen, path, "running")
	thaw := frozen.freeze()
	awake()
	flowing()
	awaitExport(t, other, path, "done")
	file := other.body(path + "/file")
	thaw()
	awake = other.freeze() // so that the first makes the next export, when it has done with this one
	next := beginExport(t, frozen, tr.project, "coco")
	awaitExport(t, frozen, next, "done")
	awake()
	if again := frozen.body(path + "/file"); again != file || len(file) == 0 {
		t.Errorf("the export has %d bytes, and %d when the frozen server is back", len(file), len(again))
	}
}

// beginExport starts an export and returns its path.
func beginExport(t *testing.T, p *process, project, format string) (path string) {
	t.Helper()
	var export struct{ ID string }
	if _, err := send(t.Context(), http.MethodPost, p.url+"/api/v1/projects/"+project+"/exports", "application/json", []byte(`{"format":"`+format+`"}`), &export); err != nil {
		t.Fatal(err)
	}
	return "/api/v1/exports/" + export.ID
}

// awaitExport waits until an export is in a state.
func awaitExport(t *testing.T, p *process, path, state string) {
	t.Helper()
	var status struct{ Status string }
	for limit := time.Now().Add(2 * time.Minute); status.Status != state; time.Sleep(20 * time.Millisecond) {
		if _, err := send(t.Context(), http.MethodGet, p.url+path, "", nil, &status); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(limit) {
			t.Fatalf("the export is %q, not %q", status.Status, state)
		}
	}
}

// TestClusterBucketAway takes the bucket away: people work on images that are open or
// in a cache, uploads and exports are refused until it is back. A server that has no
// copy of an image, the control, can't open it.
func TestClusterBucketAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	c := startCluster(t, 2)
	near, far := c.nodes[0], c.nodes[1]
	tr := newTraffic(t, near.url, 2)
	tr.runFor(200*time.Millisecond, near.url)
	tr.check(near.url, time.Now())

	c.bucket.Stop()
	before, image := tr.clicks(), "/api/v1/images/"+tr.workers[0].image
	for range 5 {
		for _, w := range tr.workers {
			if err := w.click(t.Context(), near.url); err != nil {
				t.Errorf("a click without the bucket: %v", err)
			}
		}
	}
	if tr.clicks() == before {
		t.Error("no click was acknowledged without the bucket")
	}
	for _, part := range []string{"/original", "/display", "/thumbnail", "/mask.png", "/evidence"} {
		near.body(image + part)
	}
	away := func(what string, status int, err error) {
		t.Helper()
		if status != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "files") {
			t.Errorf("%s: %d, %v; want 503", what, status, err)
		}
	}
	_, err := tr.upload(t.Context(), near.url)
	var refused *answerError
	if !errors.As(err, &refused) {
		t.Fatalf("an upload without the bucket: %v", err)
	}
	away("upload", refused.status, err)
	var b []byte
	status, err := send(t.Context(), http.MethodGet, far.url+image+"/mask.png", "", nil, &b)
	away("control", status, err)
	for _, p := range c.nodes {
		p.ready(http.StatusOK)
	}

	if err := c.bucket.Resume(); err != nil {
		t.Fatal(err)
	}
	far.body(image + "/mask.png")
	tr.runFor(200*time.Millisecond, far.url)
	for _, p := range c.nodes {
		tr.check(p.url, time.Now())
		p.stop()
	}
}
