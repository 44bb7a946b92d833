package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/photo/phototest"
)

// traffic is what clients send to a server, across its restarts, and the answers:
// clicks on some images and uploads of others.
type traffic struct {
	tb      testing.TB
	project string
	workers []*clicker
	picture []byte

	dead bool // the disk or the server may go away altogether, so that anything can be answered

	mu       sync.Mutex
	uploads  map[string]time.Time // acknowledged, and when
	refusals map[int]string       // what answers that say the disk is the problem say, by status
}

// clicker is one client that clicks. Two share an image. An event that was not
// answered is sent again, under the same id, until it is.
type clicker struct {
	image string
	seq   int
	next  string // id of the event that is not acknowledged yet
	acked []click
}

type click struct {
	id  string
	seq int
	at  time.Time
}

// grainy is a small picture; it makes some 30 superpixels.
func grainy(tb testing.TB) []byte {
	tb.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, 96, 64))
	for i := range im.Pix {
		im.Pix[i] = uint8(rand.IntN(60) + 100*(i/4%96/48))
	}
	for i := 3; i < len(im.Pix); i += 4 {
		im.Pix[i] = 255
	}
	im.SetNRGBA(0, 0, color.NRGBA{A: 255})
	return phototest.MustPNG(tb, im)
}

// newTraffic makes a project with the given number of images to click on.
func newTraffic(tb testing.TB, url string, images int) *traffic {
	tb.Helper()
	tr := &traffic{tb: tb, picture: grainy(tb), uploads: map[string]time.Time{}, refusals: map[int]string{}}
	var project struct{ ID string }
	if _, err := send(tb.Context(), http.MethodPost, url+"/api/v1/projects", "application/json", []byte(`{"name":"Traffic"}`), &project); err != nil {
		tb.Fatal(err)
	}
	tr.project = project.ID
	for range images {
		id, err := tr.upload(tb.Context(), url)
		if err != nil {
			tb.Fatal(err)
		}
		for range 2 {
			tr.workers = append(tr.workers, &clicker{image: id, next: segment.NewID()})
		}
	}
	return tr
}

// answerError is an answer other than 2xx.
type answerError struct {
	status int
	detail string
	seq    int
}

func (e *answerError) Error() string { return fmt.Sprintf("%d %s", e.status, e.detail) }

// send makes a request and decodes its answer, whose status it returns too.
func send(ctx context.Context, method, url, kind string, body []byte, into any) (int, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode/100 != 2 {
		var p struct {
			Detail string
			Seq    int
		}
		_ = json.Unmarshal(b, &p)
		return resp.StatusCode, &answerError{resp.StatusCode, p.Detail, p.Seq}
	}
	if raw, ok := into.(*[]byte); ok {
		*raw = b
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(b, into)
}

// runFor lets all clients work for a time, but at least until each has saved
// something, or until the server has gone or refuses. They wait for the answers to
// what they have sent. Of several servers each has its share of the clients.
func (tr *traffic) runFor(d time.Duration, urls ...string) {
	until := time.Now().Add(d)
	ctx, cancel := context.WithDeadline(tr.tb.Context(), until.Add(30*time.Second))
	defer cancel()
	var wait sync.WaitGroup
	for i, c := range tr.workers {
		url := urls[i%len(urls)]
		wait.Go(func() {
			before := len(c.acked)
			for tr.note(c.click(ctx, url)) && (time.Now().Before(until) || len(c.acked) == before) {
			}
		})
	}
	wait.Go(func() {
		for {
			if _, err := tr.upload(ctx, urls[0]); !tr.note(err) || time.Now().After(until) {
				return
			}
		}
	})
	wait.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// note remembers refusals; false means that the client should stop.
func (tr *traffic) note(err error) bool {
	var refused *answerError
	if !errors.As(err, &refused) {
		return err == nil
	}
	if !tr.dead && refused.status != http.StatusServiceUnavailable && refused.status != http.StatusInsufficientStorage {
		tr.tb.Errorf("unexpected answer: %v", refused)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if !strings.Contains(tr.refusals[refused.status], refused.detail) { // clicks and uploads are refused in different words
		tr.refusals[refused.status] += refused.detail + "\n"
	}
	return false
}

// click sends the next event, or the last one again.
func (c *clicker) click(ctx context.Context, url string) error {
	n := len(c.acked) // so that an event that is sent again is the same
	body := fmt.Sprintf(`{"id":%q,"expected_seq":%d,"kind":"label","points":[[%d,%d]],"class":%d}`, c.next, c.seq, n%96, n%64, n%2)
	var answer struct{ Seq int }
	_, err := send(ctx, http.MethodPost, url+"/api/v1/images/"+c.image+"/evidence", "application/json", []byte(body), &answer)
	var refused *answerError
	if errors.As(err, &refused) && refused.status == http.StatusConflict {
		c.seq = refused.seq
		return nil
	}
	if err != nil {
		return err
	}
	c.acked = append(c.acked, click{c.next, answer.Seq, time.Now()})
	c.seq, c.next = answer.Seq, segment.NewID()
	return nil
}

func (tr *traffic) upload(ctx context.Context, url string) (string, error) {
	ids, err := tr.uploadFiles(ctx, url, 1)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// uploadFiles is upload for several files in one request, all of which must be kept.
func (tr *traffic) uploadFiles(ctx context.Context, url string, files int) (ids []string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for range files {
		part, err := form.CreateFormFile("file", "grain.png")
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(tr.picture); err != nil {
			return nil, err
		}
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	var made []struct{ ID string }
	if _, err := send(ctx, http.MethodPost, url+"/api/v1/projects/"+tr.project+"/images", form.FormDataContentType(), body.Bytes(), &made); err != nil {
		return nil, err
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, im := range made {
		tr.uploads[im.ID] = time.Now()
		ids = append(ids, im.ID)
	}
	return ids, nil
}

// clicks is how many were acknowledged.
func (tr *traffic) clicks() (n int) {
	for _, c := range tr.workers {
		n += len(c.acked)
	}
	return n
}

// check compares what the server has with what it acknowledged before the given
// time: nothing may be lost or be there twice, and every image must be whole.
func (tr *traffic) check(url string, before time.Time) {
	tr.tb.Helper()
	if lost, doubled, half := tr.compare(url, before); lost+doubled+half > 0 {
		tr.tb.Error("what was acknowledged is not what is there")
	}
}

// compare counts the deviations from what check wants.
func (tr *traffic) compare(url string, before time.Time) (lost, doubled, half int) {
	tr.tb.Helper()
	ctx := tr.tb.Context()
	for _, c := range tr.workers {
		places := map[string]int{}
		for n, more := 0, true; more; { // a list has 10,000 events at most
			var log struct {
				More   bool
				Events []struct {
					ID  string
					Seq int
				}
			}
			if _, err := send(ctx, http.MethodGet, fmt.Sprintf("%s/api/v1/images/%s/evidence?after=%d", url, c.image, n), "", nil, &log); err != nil {
				tr.tb.Fatal(err)
			}
			for _, e := range log.Events {
				if n++; places[e.ID] > 0 || e.Seq != n {
					doubled++
				}
				places[e.ID] = e.Seq
			}
			more = log.More && len(log.Events) > 0
		}
		for _, k := range c.acked {
			if k.at.Before(before) && places[k.id] != k.seq {
				lost++
			}
		}
	}
	var images []struct{ ID string }
	if _, err := send(ctx, http.MethodGet, url+"/api/v1/projects/"+tr.project+"/images", "", nil, &images); err != nil {
		tr.tb.Fatal(err)
	}
	there := map[string]bool{}
	for _, im := range images {
		there[im.ID] = true
	}
	for id, at := range tr.uploads {
		if at.Before(before) && !there[id] {
			lost++
		}
	}
	for i, im := range images {
		for _, part := range []string{"original", "display", "thumbnail", "superpixels.bin"} {
			var b []byte
			if part == "superpixels.bin" && i%10 > 0 { // takes time; the doctor looks at all
				continue
			}
			_, err := send(ctx, http.MethodGet, url+"/api/v1/images/"+im.ID+"/"+part, "", nil, &b)
			if err != nil || len(b) == 0 || part == "original" && !bytes.Equal(b, tr.picture) {
				half++
			}
		}
	}
	tr.tb.Logf("%d clicks and %d uploads acknowledged, %d images there: %d lost, %d doubled, %d half-written", tr.clicks(), len(tr.uploads), len(images), lost, doubled, half)
	return lost, doubled, half
}

// refused lists the statuses of refusals.
func (tr *traffic) refused() (statuses []int) {
	for status := range tr.refusals {
		statuses = append(statuses, status)
	}
	slices.Sort(statuses)
	return statuses
}
