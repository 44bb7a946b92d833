package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"collie/web/live"
	"collie/web/problem"
)

// openSocket opens the websocket of an image, see package live.
func (s *Server) openSocket(w http.ResponseWriter, r *http.Request) error {
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
	v := visitorOf(r.Context())
	err = s.hub.Open(w, r, im.ID, live.Visitor{
		Principal: v.Principal, Session: v.session, Project: im.ProjectID,
		Check: func(ctx context.Context, used bool) error { return s.recheck(ctx, v, im.ProjectID, role, used) },
	})
	var handshake *live.HandshakeError
	var bye *live.Farewell
	switch {
	case errors.As(err, &handshake):
		return &problem.Refusal{Status: handshake.Status, Detail: handshake.Error()}
	case errors.Is(err, live.SignedOut):
		return errSignIn
	case errors.As(err, &bye): // a role has changed since the lines above
		return &problem.Later{Wait: time.Second, Err: &problem.Refusal{Status: http.StatusServiceUnavailable, Detail: bye.Error()}}
	}
	return err
}

// explain returns the text of an error for a socket's client, and whether the
// server is to blame.
func explain(err error) (detail string, ours bool) {
	p := problem.Of(err)
	return p.Detail, p.Status >= http.StatusInternalServerError
}
