package people

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/templates"
	"collie/web/answers"
	"collie/web/live"
	"collie/web/problem"
)

// notices are the messages after a successful change to users, by the word in
// the URL.
var notices = map[string]string{
	"added":    "User added. Tell them their name and password; they can change the password themselves.",
	"role":     "Role changed.",
	"password": "Password changed. All other sessions of this user have been signed out, and their API tokens revoked.",
	"revoked":  "API token revoked. Programs can't use it any more.",
	"removed":  "User removed and signed out everywhere. Their work stays.",
}

// UsersPage lists the users for admins.
func (p *People) UsersPage(w http.ResponseWriter, r *http.Request) error {
	return p.showUsers(w, r, http.StatusOK, templates.UsersView{Notice: notices[r.URL.Query().Get("done")]})
}

// showUsers shows the list with the messages that v has.
func (p *People) showUsers(w http.ResponseWriter, r *http.Request, status int, v templates.UsersView) error {
	users, err := p.sessions.accounts.List(r.Context())
	if err != nil {
		return err
	}
	v.Roles = nil
	for _, role := range access.ServerRoles() {
		v.Roles = append(v.Roles, role.String())
	}
	own := visitorOf(r.Context()).User
	for _, u := range users {
		row := templates.UserRow{
			ID: u.ID, Name: u.Name, Role: u.Role.String(), Since: u.Created.Format("2 January 2006"), Own: u.ID == own,
		}
		if p.openID != nil {
			if row.SignsIn, err = p.waysIn(r.Context(), u); err != nil {
				return err
			}
		}
		row.Invited = u.Hash == "" && len(row.SignsIn) == 0
		v.Users = append(v.Users, row)
	}
	p.answers.HTML(w, r, status, templates.Users(v))
	return nil
}

// waysIn lists how a user can sign in, on a server with an OpenID provider.
func (p *People) waysIn(ctx context.Context, u accounts.User) (ways []templates.WayIn, err error) {
	if u.Hash != "" {
		ways = append(ways, templates.WayIn{With: "Password"})
	}
	identities, err := p.sessions.accounts.Identities(ctx, u.ID)
	for _, i := range identities {
		with := i.Issuer
		if i.Issuer == p.openID.Issuer() {
			with = p.openID.Label()
		}
		ways = append(ways, templates.WayIn{With: with, Subject: i.Subject})
	}
	return ways, err
}

// change carries out a form about users. It returns the word for its notice, or the
// users who are invited by it, whose links are shown instead.
type change func(r *http.Request) (done string, invited []accounts.User, err error)

// ChangeUsers carries out a form and shows the list again.
func (p *People) ChangeUsers(do change) answers.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := p.workspace.May(r.Context(), access.Administer); err != nil {
			return err // before anything is read
		}
		if err := parseForm(r); err != nil {
			return err
		}
		done, invited, err := do(r)
		if failure := problem.Of(err); err != nil && (failure.Status == http.StatusUnprocessableEntity || failure.Status == http.StatusConflict) {
			return p.showUsers(w, r, failure.Status, templates.UsersView{Problem: failure.Detail, Names: r.PostForm.Get("name")})
		}
		if err != nil {
			return err
		}
		if len(invited) > 0 {
			return p.showInvitations(w, r, invited)
		}
		http.Redirect(w, r, "/users?done="+done, http.StatusSeeOther)
		return nil
	}
}

// AddUser adds a user with a password, or any number without one, who are invited.
func (p *People) AddUser(r *http.Request) (string, []accounts.User, error) {
	role, _ := access.ParseRole(r.PostForm.Get("role"), access.ServerRoles())
	var names []string
	for line := range strings.Lines(r.PostForm.Get("name")) {
		if name := strings.TrimSpace(line); name != "" {
			names = append(names, name)
		}
	}
	password := r.PostForm.Get("password")
	switch {
	case password == "" && len(names) > 0:
		invited, err := p.sessions.accounts.AddInvited(r.Context(), names, role)
		return "", invited, err
	case len(names) > 1:
		return "", nil, segment.Errorf(segment.Invalid, "A password is for one user. Leave it empty, and everybody gets a link to choose their own. Nobody was added.")
	}
	_, err := p.sessions.accounts.Add(r.Context(), r.PostForm.Get("name"), password, role)
	return "added", nil, err
}

// InviteUser makes a link with which a user can choose a new password.
func (p *People) InviteUser(r *http.Request) (string, []accounts.User, error) {
	u, err := p.sessions.accounts.User(r.Context(), chi.URLParam(r, "id"))
	return "", []accounts.User{u}, err
}

// SetRole changes a user's role; their open pages reconnect with it.
func (p *People) SetRole(r *http.Request) (string, []accounts.User, error) {
	role, _ := access.ParseRole(r.PostForm.Get("role"), access.ServerRoles())
	id := chi.URLParam(r, "id")
	err := p.sessions.accounts.SetRole(r.Context(), id, role)
	if err == nil {
		p.expel(live.RoleChanged, func(v live.Visitor) bool { return v.User == id })
	}
	return "role", nil, err
}

// SetPassword sets a user's password and signs them out.
func (p *People) SetPassword(r *http.Request) (string, []accounts.User, error) {
	id := chi.URLParam(r, "id")
	err := p.sessions.accounts.SetPassword(r.Context(), id, r.PostForm.Get("password"))
	return "password", nil, p.expelUser(id, err)
}

// RemoveUser removes a user and signs them out.
func (p *People) RemoveUser(r *http.Request) (string, []accounts.User, error) {
	id := chi.URLParam(r, "id")
	err := p.sessions.accounts.Remove(r.Context(), id)
	return "removed", nil, p.expelUser(id, err)
}

// expelUser closes the sockets of a user whose sessions have ended, unless err
// is set, and returns err.
func (p *People) expelUser(id string, err error) error {
	if err == nil {
		p.expel(live.SignedOut, func(v live.Visitor) bool { return v.User == id })
	}
	return err
}

// AccountPage lets people change their own password and API tokens.
func (p *People) AccountPage(w http.ResponseWriter, r *http.Request) error {
	return p.showAccount(w, r, http.StatusOK, templates.AccountView{Notice: notices[r.URL.Query().Get("done")]})
}

// ChangePassword handles the form of that page. The user's other browsers are
// signed out; this one gets a new session.
func (p *People) ChangePassword(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	v, form := visitorOf(r.Context()), r.PostForm
	err := p.sessions.accounts.ChangePassword(r.Context(), form.Get("present"), form.Get("password"), p.address(r))
	if errors.Is(err, accounts.ErrWrong) {
		err = &problem.Refusal{Status: http.StatusUnauthorized, Detail: "The current password is wrong. Nothing was changed."}
	}
	err = signInProblem(err)
	if failure := problem.Of(err); err != nil && failure.Status < 500 {
		p.answers.Failed(w, r, err)
		return p.showAccount(w, r, failure.Status, templates.AccountView{Problem: failure.Detail})
	}
	if p.expelUser(v.User, err) != nil {
		return err
	}
	if err := p.enter(w, r, v.User, ""); err != nil {
		return err
	}
	return p.showAccount(w, r, http.StatusOK, templates.AccountView{Notice: notices["password"]})
}
