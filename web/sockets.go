package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"collie/segment/access"
	"collie/web/live"
	"collie/web/people"
	"collie/web/problem"
	"collie/web/query"
)

// anyRole is the role of a client that does not depend on one.
const anyRole = "any"

var roleQuery = query.Word{
	Name: "role", Words: []string{anyRole, access.Viewer.String(), access.Reviewer.String(), access.Annotator.String(), access.Owner.String(), access.Admin.String()},
	Doc: "the role in the project that the page was made for; when the user has another one, the websocket ends with close code 4403",
}

// openSocket opens the websocket of an image, see package live.
func (s *Server) openSocket(w http.ResponseWriter, r *http.Request) error {
	madeFor, err := roleQuery.Of(r)
	if err != nil {
		return err
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return &problem.Refusal{Status: http.StatusBadRequest, Detail: "This address is a websocket; connect to it with the websocket protocol."}
	}
	if !s.fromHere(r) {
		return &problem.Refusal{Status: http.StatusForbidden, Detail: "The connection was refused because a page of another site asked for it."}
	}
	im, err := s.image(r)
	if err != nil {
		return err
	}
	role, err := s.workspace.RoleIn(r.Context(), im.ProjectID)
	if err != nil {
		return err
	}
	visitor := s.people.AtSocket(r.Context(), im.ProjectID, role)
	visitor.Outdated = madeFor != anyRole && madeFor != role.String()
	err = s.hub.Open(w, r, im.ID, visitor)
	var handshake *live.HandshakeError
	var bye *live.Farewell
	switch {
	case errors.As(err, &handshake):
		return &problem.Refusal{Status: handshake.Status, Detail: handshake.Error()}
	case errors.Is(err, live.SignedOut):
		return people.ErrSignIn
	case errors.As(err, &bye): // a role has changed since the lines above
		return &problem.Later{Wait: time.Second, Err: &problem.Refusal{Status: http.StatusServiceUnavailable, Detail: bye.Error()}}
	}
	return err
}

// fromHere reports whether a request comes from one of our own pages, by scheme
// and host, or from a program other than a browser, which sends no origin.
func (s *Server) fromHere(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return true
	case s.origin != "":
		return strings.EqualFold(origin, s.origin)
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// explain returns the text of an error for a socket's client, and whether the
// server is to blame.
func explain(err error) (detail string, ours bool) {
	p := problem.Of(err)
	return p.Detail, p.Status >= http.StatusInternalServerError
}
