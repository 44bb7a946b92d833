package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/gorilla/websocket"

	"collie/web/live"
)

// openSocket opens the websocket of an image, see package live.
func (s *Server) openSocket(w http.ResponseWriter, r *http.Request) error {
	if !websocket.IsWebSocketUpgrade(r) {
		return &requestError{http.StatusBadRequest, "This address is a websocket; connect to it with the websocket protocol."}
	}
	if !s.fromHere(r) {
		return &requestError{http.StatusForbidden, "The connection was refused because a page of another site asked for it."}
	}
	v := visitorOf(r.Context())
	err := s.hub.Open(w, r, chi.URLParam(r, "id"), live.Visitor{
		Principal: v.Principal, Session: v.token,
		Check: func(ctx context.Context, used bool) error { return s.recheck(ctx, v, used) },
	})
	var handshake *live.HandshakeError
	var bye *live.Farewell
	switch {
	case errors.As(err, &handshake):
		return &requestError{handshake.Status, handshake.Error()}
	case errors.As(err, &bye):
		return errSignIn
	}
	return err
}
