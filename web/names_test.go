package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"collie/segment/access"
	"collie/storage/sqlite"
)

// A server without login refuses requests under names other than this machine's,
// unless a flag allows them.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Config, *sqlite.Store)
		status int
	}{
		"loopback": {func(*Config, *sqlite.Store) {}, 421},
		"login":    {withLogin, 401},
		"insecure": {func(c *Config, _ *sqlite.Store) { c.AnyName = true }, 200},
	} {
		if a := MustServe(t, c.change).send("GET", "/api/v1/projects", nil, "Host: collie.example"); a.status != c.status {
			t.Errorf("%s: %d, want %d", name, a.status, c.status)
		}
	}
}

// Behind a proxy, pages come from its address: changes and websockets from there
// are accepted, others are refused.
func TestOriginOfProxy(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin, func(c *Config, _ *sqlite.Store) { c.Origin = "https://collie.example" })
	s = s.as(s.user("admin", access.Admin))
	im := s.photo()
	for origin, ok := range map[string]bool{
		"https://collie.example": true, "https://COLLIE.example": true,
		"http://collie.example": false, "https://collie.example.evil.example": false, "https://collie.example:8443": false, s.url: false, "null": false,
	} {
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), s.socketURL(im.ID), http.Header{"Origin": {origin}, "Authorization": {"Bearer " + s.token}})
		if ok != (err == nil) || !ok && resp.StatusCode != 403 {
			t.Errorf("socket from %s: %v", origin, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
	path := "/api/v1/projects/" + im.Project
	for origin, status := range map[string]int{"https://collie.example": 200, "https://evil.example": 403, "null": 403} {
		a := s.send("PATCH", path, strings.NewReader(`{"name":"x"}`), "Origin: "+origin, "Sec-Fetch-Site: same-origin", "Host: internal:8080")
		if origin != "https://collie.example" {
			a = s.send("PATCH", path, strings.NewReader(`{"name":"x"}`), "Origin: "+origin, "Sec-Fetch-Site: cross-site")
		}
		if a.status != status {
			t.Errorf("change from %s: %d", origin, a.status)
		}
	}
}
