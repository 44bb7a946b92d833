package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"collie/cmd/internal/progress"
	"collie/superpixels"
)

// server is what the load test asks of Collie beside the sockets.
type server struct {
	bases   []*url.URL // of one server, or of several that share a database
	turn    atomic.Uint64
	header  http.Header // of every request
	client  *http.Client
	project string // made for the test
}

// newServer returns the server at the addresses; without a login it needs no token.
func newServer(token string, addresses ...string) (*server, error) {
	var bases []*url.URL
	for _, address := range addresses {
		base, err := url.Parse(address)
		if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
			return nil, fmt.Errorf("--url %q is not an address like http://127.0.0.1:8080", address)
		}
		base.Path = ""
		bases = append(bases, base)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DisableCompression = true
	transport.MaxIdleConnsPerHost = 64
	header := http.Header{}
	if token = strings.TrimSpace(token); token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return &server{bases: bases, header: header, client: &http.Client{Transport: transport}}, nil
}

// next is the address of the server whose turn it is.
func (s *server) next() *url.URL {
	return s.bases[int((s.turn.Add(1)-1)%uint64(len(s.bases)))]
}

// call makes a request and returns the body of an answer in the 200s.
func (s *server) call(ctx context.Context, method, path, kind string, body io.Reader) ([]byte, error) {
	return s.callAt(ctx, s.next(), method, path, kind, body)
}

func (s *server) callAt(ctx context.Context, base *url.URL, method, path, kind string, body io.Reader) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, base.String()+path, body)
	if err != nil {
		return nil, err
	}
	r.Header = s.header.Clone()
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := s.client.Do(r)
	if unsent := new(net.OpError); errors.As(err, &unsent) && unsent.Op == "dial" {
		return nil, fmt.Errorf("the server at %s can't be reached (--url): %w", base, unsent)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, refused(resp, b)
	}
	return b, nil
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	detail string
}

func (e *refusal) Error() string { return e.detail }

// refused reads the problem that the server describes in the body of an answer.
func refused(resp *http.Response, body []byte) error {
	var p struct{ Detail string }
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		p.Detail = "the server has a login: give a valid API token of an admin in COLLIE_TOKEN, made with 'server tokens create NAME loadtest --scope admin'"
	case json.Unmarshal(body, &p) != nil || p.Detail == "":
		p.Detail = fmt.Sprintf("%s answered %s: is it a Collie server?", resp.Request.URL.Host, resp.Status)
	}
	return &refusal{resp.StatusCode, p.Detail}
}

// target is an image on the server that annotators can work on.
type target struct {
	id    string
	photo *photograph
	truth *truth

	mu    sync.Mutex
	acked map[string]int // numbers of the clicks that were acknowledged, by their ids
}

// acknowledge notes that a click is on the server's disk, as the event of a number.
func (t *target) acknowledge(id string, seq int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acked == nil {
		t.acked = map[string]int{}
	}
	t.acked[id] = seq
}

// lost counts the acknowledged clicks that the images' logs don't have where they should
// be.
func (s *server) lost(ctx context.Context, pool []*target) (lost int, err error) {
	for _, t := range pool {
		if len(t.acked) == 0 {
			continue
		}
		answer, err := s.call(ctx, http.MethodGet, "/api/v1/images/"+t.id+"/evidence", "", nil)
		if err != nil {
			return 0, err
		}
		var log struct {
			Events []struct {
				ID  string
				Seq int
			}
		}
		if err := json.Unmarshal(answer, &log); err != nil {
			return 0, err
		}
		for _, e := range log.Events {
			if seq, ok := t.acked[e.ID]; ok && seq != e.Seq {
				lost++
			}
			delete(t.acked, e.ID)
		}
		lost += len(t.acked)
	}
	return lost, nil
}

// fill makes a project and uploads photographs in turn until there are n images.
func (s *server) fill(ctx context.Context, photographs []*photograph, n, classes int, to io.Writer) ([]*target, error) {
	var list []map[string]string
	for i := range classes {
		list = append(list, map[string]string{"name": "class " + strconv.Itoa(i)})
	}
	body, err := json.Marshal(map[string]any{"name": "Load test", "classes": list})
	if err != nil {
		return nil, err
	}
	answer, err := s.call(ctx, http.MethodPost, "/api/v1/projects", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	var project struct{ ID string }
	if err := json.Unmarshal(answer, &project); err != nil {
		return nil, err
	}
	s.project = project.ID
	pool := make([]*target, n)
	bar := progress.NewBar(to, "uploading", n)
	uploaded := 0
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for i := range pool {
		group.Go(func() error {
			ph := photographs[i%len(photographs)]
			id, err := s.upload(ctx, ph.name, ph.file)
			if err != nil {
				return err
			}
			m, err := s.open(ctx, id)
			if err != nil {
				return err
			}
			known, err := ph.truth(m)
			if err != nil {
				return fmt.Errorf("%s: %w", ph.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			pool[i] = &target{id: id, photo: ph, truth: known}
			uploaded++
			bar.Show(uploaded)
			return nil
		})
	}
	err = group.Wait()
	bar.Clear()
	return pool, err
}

// upload sends one file into the project.
func (s *server) upload(ctx context.Context, name string, file []byte) (id string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return "", err
	}
	if _, err := part.Write(file); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	answer, err := s.call(ctx, http.MethodPost, "/api/v1/projects/"+s.project+"/images", form.FormDataContentType(), &body)
	if err != nil {
		return "", err
	}
	var images []struct{ ID string }
	if err := json.Unmarshal(answer, &images); err != nil {
		return "", err
	}
	if len(images) != 1 {
		return "", fmt.Errorf("the upload of %s was answered by %.200s", name, answer)
	}
	return images[0].ID, nil
}

// open loads what a page loads when it opens an image: the picture and the
// superpixels, which are returned.
func (s *server) open(ctx context.Context, id string) (*superpixels.Map, error) {
	if _, err := s.call(ctx, http.MethodGet, "/api/v1/images/"+id+"/display", "", nil); err != nil {
		return nil, err
	}
	packed, err := s.call(ctx, http.MethodGet, "/api/v1/images/"+id+"/superpixels.bin", "", nil)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var runs superpixels.Runs
	if err := runs.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	return runs.Map(), nil
}

// trash moves the test's project to the trash.
func (s *server) trash() {
	if s.project != "" {
		_, _ = s.call(context.Background(), http.MethodDelete, "/api/v1/projects/"+s.project, "", nil)
	}
}

// socket is the address of an image's websocket.
func (s *server) socket(id string) string {
	return "ws" + strings.TrimPrefix(s.next().String(), "http") + "/api/v1/images/" + id + "/socket"
}

// vitals are figures of all servers' processes together, by their names in /metrics;
// nothing when one has no such page.
func (s *server) vitals(ctx context.Context) map[string]float64 {
	out := map[string]float64{}
	for _, base := range s.bases {
		b, err := s.callAt(ctx, base, http.MethodGet, "/metrics", "", nil)
		if err != nil {
			return nil
		}
		for line := range strings.Lines(string(b)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if v, err := strconv.ParseFloat(value, 64); err == nil && !strings.Contains(name, "{") {
				out[name] += v
			}
		}
	}
	return out
}
