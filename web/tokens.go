package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
	"collie/segment/accounts"
	"collie/templates"
	"collie/web/live"
	"collie/web/problem"
)

// tokenJSON is an API token of the user.
type tokenJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name" doc:"what it is for"`
	Scope   string     `json:"scope" schema:"enum=metrics|read|annotate|admin"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty" doc:"absent if it never expires"`
	Used    *time.Time `json:"used,omitempty" doc:"last, to the hour; absent if never"`
	Token   string     `json:"token,omitempty" doc:"the secret; only in the answer to creating it"`
}

// newTokenJSON is what clients send to create an API token.
type newTokenJSON struct {
	Name  string `json:"name" doc:"what it is for" schema:"required,minLength=1,maxLength=100"`
	Scope string `json:"scope" doc:"metrics: /metrics and nothing else, for admins; read: what a viewer can do; annotate: what an annotator can do; admin: everything that the user can do" schema:"required,enum=metrics|read|annotate|admin"`
	Days  int    `json:"days,omitempty" doc:"until it expires; 0 or absent means never" schema:"min=0,max=3650"`
}

func tokenOut(t accounts.Token) tokenJSON {
	out := tokenJSON{ID: t.ID, Name: t.Name, Scope: string(t.Scope), Created: t.Created}
	if !t.Expires.IsZero() {
		out.Expires = &t.Expires
	}
	if !t.Used.IsZero() {
		out.Used = &t.Used
	}
	return out
}

// listTokens lists the visitor's API tokens.
func (s *Server) listTokens(w http.ResponseWriter, r *http.Request) error {
	tokens, err := s.sessions.accounts.Tokens(r.Context())
	if err != nil {
		return err
	}
	out := make([]tokenJSON, len(tokens))
	for i, t := range tokens {
		out[i] = tokenOut(t)
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

// createToken creates an API token for the visitor.
func (s *Server) createToken(w http.ResponseWriter, r *http.Request) error {
	var body newTokenJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	secret, t, err := s.sessions.accounts.CreateToken(r.Context(), body.Name, access.Scope(body.Scope), body.Days)
	if err != nil {
		return err
	}
	out := tokenOut(t)
	out.Token = secret
	w.Header().Set("Cache-Control", "no-store")
	return s.answers.JSON(w, http.StatusCreated, out)
}

// revokeToken revokes one of the visitor's API tokens.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := s.revoke(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// revoke revokes the API token that a request names and ends its sockets.
func (s *Server) revoke(r *http.Request) error {
	id := chi.URLParam(r, "id")
	err := s.sessions.accounts.RevokeToken(r.Context(), id)
	if err == nil {
		s.hub.Expel(live.SignedOut, func(v live.Visitor) bool { return v.Session == id })
	}
	return err
}

// createTokenByForm is createToken for the account page, which shows the secret
// once.
func (s *Server) createTokenByForm(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	if err != nil {
		return problem.BadRequest("The form lacks the days until the token expires. No token was created.")
	}
	secret, t, err := s.sessions.accounts.CreateToken(r.Context(), r.PostForm.Get("name"), access.Scope(r.PostForm.Get("scope")), days)
	if p := problem.Of(err); err != nil && (p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusConflict) {
		s.answers.Failed(w, r, err)
		return s.showAccount(w, r, p.Status, templates.AccountView{TokenProblem: p.Detail, TokenName: r.PostForm.Get("name")})
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return s.showAccount(w, r, http.StatusOK, templates.AccountView{NewToken: t.Name, Secret: secret})
}

// revokeTokenByForm is revokeToken for the account page.
func (s *Server) revokeTokenByForm(w http.ResponseWriter, r *http.Request) error {
	if err := s.revoke(r); err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=revoked", http.StatusSeeOther)
	return nil
}

// showAccount shows the account page with the messages that v has.
func (s *Server) showAccount(w http.ResponseWriter, r *http.Request, status int, v templates.AccountView) error {
	tokens, err := s.sessions.accounts.Tokens(r.Context())
	if err != nil {
		return err
	}
	if s.openID != nil {
		u, err := s.sessions.accounts.User(r.Context(), visitorOf(r.Context()).User)
		if err != nil {
			return err
		}
		if u.Hash == "" {
			v.OpenID = s.openID.Label()
		}
	}
	const day = "2 January 2006"
	for _, t := range tokens {
		row := templates.TokenRow{ID: t.ID, Name: t.Name, Scope: string(t.Scope), Created: t.Created.Format(day), Used: "never used", Expires: "never expires"}
		if !t.Used.IsZero() {
			row.Used = "last used on " + t.Used.Format(day)
		}
		switch {
		case t.Expires.IsZero():
		case t.Expires.Before(time.Now()):
			row.Expires = "expired on " + t.Expires.Format(day)
		default:
			row.Expires = "expires on " + t.Expires.Format(day)
		}
		v.Tokens = append(v.Tokens, row)
	}
	s.answers.HTML(w, r, status, templates.Account(v))
	return nil
}
