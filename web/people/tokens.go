package people

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

// Token is an API token of the user.
type Token struct {
	ID      string     `json:"id"`
	Name    string     `json:"name" doc:"what it is for"`
	Scope   string     `json:"scope" schema:"enum=metrics|read|annotate|admin"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty" doc:"absent if it never expires"`
	Used    *time.Time `json:"used,omitempty" doc:"last, to the hour; absent if never"`
	Token   string     `json:"token,omitempty" doc:"the secret; only in the answer to creating it"`
}

// NewToken is what clients send to create an API token.
type NewToken struct {
	Name  string `json:"name" doc:"what it is for" schema:"required,minLength=1,maxLength=100"`
	Scope string `json:"scope" doc:"metrics: /metrics and nothing else, for admins; read: what a viewer can do; annotate: what an annotator can do; admin: everything that the user can do" schema:"required,enum=metrics|read|annotate|admin"`
	Days  int    `json:"days,omitempty" doc:"until it expires; 0 or absent means never" schema:"min=0,max=3650"`
}

func tokenOut(t accounts.Token) Token {
	out := Token{ID: t.ID, Name: t.Name, Scope: string(t.Scope), Created: t.Created}
	if !t.Expires.IsZero() {
		out.Expires = &t.Expires
	}
	if !t.Used.IsZero() {
		out.Used = &t.Used
	}
	return out
}

// ListTokens lists the visitor's API tokens.
func (p *People) ListTokens(w http.ResponseWriter, r *http.Request) error {
	tokens, err := p.sessions.accounts.Tokens(r.Context())
	if err != nil {
		return err
	}
	out := make([]Token, len(tokens))
	for i, t := range tokens {
		out[i] = tokenOut(t)
	}
	return p.answers.JSON(w, http.StatusOK, out)
}

// CreateToken creates an API token for the visitor.
func (p *People) CreateToken(w http.ResponseWriter, r *http.Request) error {
	var body NewToken
	if err := p.decode(r, &body); err != nil {
		return err
	}
	secret, t, err := p.sessions.accounts.CreateToken(r.Context(), body.Name, access.Scope(body.Scope), body.Days)
	if err != nil {
		return err
	}
	out := tokenOut(t)
	out.Token = secret
	w.Header().Set("Cache-Control", "no-store")
	return p.answers.JSON(w, http.StatusCreated, out)
}

// RevokeToken revokes one of the visitor's API tokens.
func (p *People) RevokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := p.revoke(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// revoke revokes the API token that a request names and ends its sockets.
func (p *People) revoke(r *http.Request) error {
	id := chi.URLParam(r, "id")
	err := p.sessions.accounts.RevokeToken(r.Context(), id)
	if err == nil {
		p.expel(live.SignedOut, func(v live.Visitor) bool { return v.Session == id })
	}
	return err
}

// CreateTokenByForm is CreateToken for the account page, which shows the secret
// once.
func (p *People) CreateTokenByForm(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	if err != nil {
		return problem.BadRequest("The form lacks the days until the token expires. No token was created.")
	}
	secret, t, err := p.sessions.accounts.CreateToken(r.Context(), r.PostForm.Get("name"), access.Scope(r.PostForm.Get("scope")), days)
	if failure := problem.Of(err); err != nil && (failure.Status == http.StatusUnprocessableEntity || failure.Status == http.StatusConflict) {
		p.answers.Failed(w, r, err)
		return p.showAccount(w, r, failure.Status, templates.AccountView{TokenProblem: failure.Detail, TokenName: r.PostForm.Get("name")})
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return p.showAccount(w, r, http.StatusOK, templates.AccountView{NewToken: t.Name, Secret: secret})
}

// RevokeTokenByForm is RevokeToken for the account page.
func (p *People) RevokeTokenByForm(w http.ResponseWriter, r *http.Request) error {
	if err := p.revoke(r); err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=revoked", http.StatusSeeOther)
	return nil
}

// showAccount shows the account page with the messages that v has.
func (p *People) showAccount(w http.ResponseWriter, r *http.Request, status int, v templates.AccountView) error {
	tokens, err := p.sessions.accounts.Tokens(r.Context())
	if err != nil {
		return err
	}
	if p.openID != nil {
		u, err := p.sessions.accounts.User(r.Context(), visitorOf(r.Context()).User)
		if err != nil {
			return err
		}
		if u.Hash == "" {
			v.OpenID = p.openID.Label()
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
	p.answers.HTML(w, r, status, templates.Account(v))
	return nil
}
