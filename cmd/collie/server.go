package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// server is a Collie server. Its errors are for people: what the server says is
// wrong, or why it can't be reached.
type server struct {
	url, token string
	client     *http.Client
	answered   bool // at least once
}

func newServer(address, token string) (*server, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--url %q is not an address like https://collie.example.org", address)
	}
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("--token or COLLIE_TOKEN is not one API token: it holds spaces, line breaks or other characters that tokens don't have")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/v1"), "/api") // the address of the API will do, too
	// A redirect would lose the request's body, so the address must be the
	// server's own.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &server{url: u.String(), token: token, client: client}, nil
}

// project, picture and job are the parts of the server's answers that commands
// need.
type project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"` // of whoever asks
}

type picture struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Bytes  int64  `json:"bytes"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Seq    int    `json:"seq"`

	Assignee string `json:"assignee"`
	Review   *struct {
		Status string `json:"status"`
		Seq    int    `json:"seq"`
	} `json:"review"`
}

type job struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	ImagesDone  int    `json:"images_done"`
	ImagesTotal int    `json:"images_total"`
	Problem     string `json:"problem"`
	Report      struct {
		Exported, Omitted, Damaged, Lossy int
		LeftOut                           int `json:"guesses_left_out"`
		Images, Skipped                   []struct {
			Name, Lossy, Note, Why string
		}
	} `json:"report"`
}

// failure is why a request was not successful: an answer that says so, or none.
type failure struct {
	status int // of the answer; 0 without one
	detail string
	wait   time.Duration // after which to try again; 0 means don't
	unsure bool          // the connection broke before the answer, so it may have been done
}

func (f *failure) Error() string { return f.detail }

// tries bounds how often a request is made that the server is too busy or away for.
const tries = 8

// restart is how long to wait for a server that has just been there.
const restart = 2 * time.Second

// send makes a call with JSON and decodes the answer. It waits and tries again
// while the server says that it is busy or restarts.
func (s *server) send(ctx context.Context, method, path string, body, into any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return s.patiently(ctx, func() error {
		resp, err := s.open(ctx, method, path, "application/json", bytes.NewReader(sent))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return s.decode(resp, into)
	})
}

// patiently repeats a call that the server is too busy or away for.
func (s *server) patiently(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		var f *failure
		if try == tries || !errors.As(err, &f) || f.wait == 0 {
			return err
		}
		if err := pause(ctx, f.wait); err != nil {
			return err
		}
	}
}

func (s *server) decode(resp *http.Response, into any) error {
	if into == nil {
		return nil
	}
	err := json.NewDecoder(resp.Body).Decode(into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax), errors.As(err, &kind):
		return fmt.Errorf("the server's answer can't be read: %w", err)
	}
	return s.broken(resp.Request, err)
}

// open makes a request and returns a successful answer, whose body the caller
// closes.
func (s *server) open(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", kind)
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, s.broken(r, err)
	}
	s.answered = true
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, refused(resp)
}

// broken says that a request found no server, or that the connection broke before the
// whole answer. What certainly does no harm twice can be tried again, unless the address
// has been wrong from the start.
func (s *server) broken(r *http.Request, err error) error {
	if inner := new(url.Error); errors.As(err, &inner) { // without the method and the path
		err = inner.Err
	}
	var dial *net.OpError
	unsent := errors.As(err, &dial) && dial.Op == "dial"
	f := &failure{}
	switch {
	case unsent:
		f.detail = fmt.Sprintf("the server at %s can't be reached: %v", s.url, err)
	case r.Method == http.MethodGet:
		f.detail = fmt.Sprintf("the connection to %s broke: %v", s.url, err)
	default:
		f.unsure = true
		f.detail = fmt.Sprintf("the connection to %s broke before its answer came (%v), so it is not known whether this was done", s.url, err)
	}
	if s.answered && !f.unsure {
		f.wait = restart
	}
	return f
}

// refused reads the problem that the server describes.
func refused(resp *http.Response) error {
	f := &failure{status: resp.StatusCode}
	var p struct{ Detail string }
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && json.Unmarshal(b, &p) == nil {
		f.detail = p.Detail
	}
	if f.detail == "" {
		f.detail = fmt.Sprintf("%s answered %s: is it a Collie server?", resp.Request.URL.Host, resp.Status)
	}
	if to := resp.Header.Get("Location"); resp.StatusCode < 400 && to != "" {
		f.detail = fmt.Sprintf("the server is at another address, %s: give that one as --url", to)
	}
	if f.status == http.StatusUnauthorized {
		f.detail = "the server needs an API token that is valid: give one in COLLIE_TOKEN. Your account page creates them."
	}
	if f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil || seconds < 1 {
			seconds = 2
		}
		f.wait = min(time.Duration(seconds)*time.Second, time.Minute)
	}
	return f
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *server) projects(ctx context.Context) (all []project, err error) {
	err = s.send(ctx, "GET", "/api/v1/projects", nil, &all)
	return all, err
}

// project finds a project by its id, or by a unique name.
func (s *server) project(ctx context.Context, wanted string) (project, error) {
	all, err := s.projects(ctx)
	if err != nil {
		return project{}, err
	}
	var named []project
	for _, p := range all {
		if p.ID == wanted {
			return p, nil
		}
		if p.Name == wanted {
			named = append(named, p)
		}
	}
	switch len(named) {
	case 0:
		return project{}, fmt.Errorf("no project of yours has the id or name %q; 'collie list' shows them, 'collie create' makes one", wanted)
	case 1:
		return named[0], nil
	}
	return project{}, fmt.Errorf("%d projects are called %q; use the id, which 'collie list' shows", len(named), wanted)
}

func (s *server) images(ctx context.Context, projectID string) (all []picture, err error) {
	err = s.send(ctx, "GET", "/api/v1/projects/"+projectID+"/images", nil, &all)
	return all, err
}
