package people

import (
	"net/http"
	"net/url"

	"collie/segment/accounts"
	"collie/templates"
	"collie/web/problem"
)

// JoinPath is the address that invitations lead to. Their secret is in its query, which
// is not logged.
const JoinPath = "/join"

// JoinLink is the link of an invitation to a server at an origin.
func JoinLink(origin, secret string) string {
	return origin + JoinPath + "?" + url.Values{"with": {secret}}.Encode()
}

// showInvitations invites users and shows the links, which can't be shown again.
func (p *People) showInvitations(w http.ResponseWriter, r *http.Request, users []accounts.User) error {
	v := templates.UsersView{Days: accounts.InvitationDays}
	for _, u := range users {
		secret, err := p.sessions.Invite(r.Context(), u.ID)
		if err != nil {
			return err
		}
		v.Invitations = append(v.Invitations, templates.Invitation{Name: u.Name, Link: JoinLink(p.originOf(r), secret)})
	}
	return p.showUsers(w, r, http.StatusOK, v)
}

// originOf is the origin under which browsers reach the server, as far as is known that
// of a request.
func (p *People) originOf(r *http.Request) string {
	if p.origin != "" {
		return p.origin
	}
	if p.sessions.secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// JoinPage lets somebody with an invitation choose their password.
func (p *People) JoinPage(w http.ResponseWriter, r *http.Request) error {
	return p.showJoin(w, r, http.StatusOK, templates.JoinView{Secret: r.URL.Query().Get("with")})
}

func (p *People) showJoin(w http.ResponseWriter, r *http.Request, status int, v templates.JoinView) error {
	u, err := p.sessions.Invited(r.Context(), v.Secret)
	if err != nil {
		return err
	}
	v.Name = u.Name
	p.answers.HTML(w, r, status, templates.Join(v))
	return nil
}

// Join takes the form of that page and signs the user in.
func (p *People) Join(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	secret := r.PostForm.Get("with")
	u, err := p.sessions.Join(r.Context(), secret, r.PostForm.Get("password"))
	if failure := problem.Of(err); err != nil && failure.Status == http.StatusUnprocessableEntity {
		p.answers.Failed(w, r, err)
		return p.showJoin(w, r, failure.Status, templates.JoinView{Secret: secret, Problem: failure.Detail})
	}
	if p.expelUser(u.ID, err) != nil {
		return err
	}
	if err := p.enter(w, r, u.ID, "an invitation"); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
