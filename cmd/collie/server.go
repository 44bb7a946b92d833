package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
}

func newServer(address, token string) (*server, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--url %q is not an address like https://collie.example.org", address)
	}
	// A redirect would lose the request's body, so the address must be the
	// server's own.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &server{u.String(), token, client}, nil
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
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type job struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	ImagesDone  int    `json:"images_done"`
	ImagesTotal int    `json:"images_total"`
	Problem     string `json:"problem"`
}

// refusal is an answer that is not a success.
type refusal struct {
	status int
	detail string
	wait   time.Duration // after which to try again; 0 means don't
}

func (r *refusal) Error() string { return r.detail }

// tries bounds how often a request is made that the server is too busy for.
const tries = 8

// send makes a call with JSON and decodes the answer. It waits and tries again
// while the server says that it is busy.
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
		return decode(resp.Body, into)
	})
}

// patiently repeats a call that the server is too busy for.
func (s *server) patiently(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		var r *refusal
		if try == tries || !errors.As(err, &r) || r.wait == 0 {
			return err
		}
		if err := pause(ctx, r.wait); err != nil {
			return err
		}
	}
}

func decode(body io.Reader, into any) error {
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(body).Decode(into); err != nil {
		return fmt.Errorf("the server's answer can't be read: %w", err)
	}
	return nil
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
		return nil, fmt.Errorf("the server can't be reached: %w", err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, refused(resp)
}

// refused reads the problem that the server describes.
func refused(resp *http.Response) error {
	r := &refusal{status: resp.StatusCode}
	var p struct{ Detail string }
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && json.Unmarshal(b, &p) == nil {
		r.detail = p.Detail
	}
	if r.detail == "" {
		r.detail = fmt.Sprintf("%s answered %s: is it a Collie server?", resp.Request.URL.Host, resp.Status)
	}
	if to := resp.Header.Get("Location"); resp.StatusCode < 400 && to != "" {
		r.detail = fmt.Sprintf("the server is at another address, %s: give that one as --url", to)
	}
	if r.status == http.StatusUnauthorized {
		r.detail = "the server needs an API token that is valid: give one in COLLIE_TOKEN. Your account page creates them."
	}
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil || seconds < 1 {
			seconds = 2
		}
		r.wait = min(time.Duration(seconds)*time.Second, time.Minute)
	}
	return r
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
	return all, s.send(ctx, "GET", "/api/v1/projects", nil, &all)
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
		return project{}, fmt.Errorf("no project of yours has the id or name %q; 'collie list' shows them", wanted)
	case 1:
		return named[0], nil
	}
	return project{}, fmt.Errorf("%d projects are called %q; use the id, which 'collie list' shows", len(named), wanted)
}

func (s *server) images(ctx context.Context, projectID string) (all []picture, err error) {
	return all, s.send(ctx, "GET", "/api/v1/projects/"+projectID+"/images", nil, &all)
}
