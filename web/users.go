package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"collie/segment/access"
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

// usersPage lists the users for admins.
func (s *Server) usersPage(w http.ResponseWriter, r *http.Request) error {
	return s.showUsers(w, r, http.StatusOK, templates.UsersView{Notice: notices[r.URL.Query().Get("done")]})
}

// showUsers shows the list with the messages that v has.
func (s *Server) showUsers(w http.ResponseWriter, r *http.Request, status int, v templates.UsersView) error {
	users, err := s.sessions.accounts.List(r.Context())
	if err != nil {
		return err
	}
	v.Roles = nil
	for _, role := range access.ServerRoles() {
		v.Roles = append(v.Roles, role.String())
	}
	own := visitorOf(r.Context()).User
	for _, u := range users {
		v.Users = append(v.Users, templates.UserRow{
			ID: u.ID, Name: u.Name, Role: u.Role.String(), Since: u.Created.Format("2 January 2006"), Own: u.ID == own,
		})
	}
	s.answers.HTML(w, r, status, templates.Users(v))
	return nil
}

// change carries out a form about users and returns the word for its notice.
type change func(r *http.Request) (done string, err error)

// changeUsers carries out a form and shows the list again.
func (s *Server) changeUsers(do change) answers.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.workspace.May(r.Context(), access.Administer); err != nil {
			return err // before anything is read
		}
		if err := parseForm(r); err != nil {
			return err
		}
		done, err := do(r)
		if p := problem.Of(err); err != nil && (p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusConflict) {
			return s.showUsers(w, r, p.Status, templates.UsersView{Problem: p.Detail, Name: r.PostForm.Get("name")})
		}
		if err != nil {
			return err
		}
		http.Redirect(w, r, "/users?done="+done, http.StatusSeeOther)
		return nil
	}
}

func (s *Server) addUser(r *http.Request) (string, error) {
	role, _ := access.ParseRole(r.PostForm.Get("role"), access.ServerRoles())
	_, err := s.sessions.accounts.Add(r.Context(), r.PostForm.Get("name"), r.PostForm.Get("password"), role)
	return "added", err
}

// setRole changes a user's role; their open pages reconnect with it.
func (s *Server) setRole(r *http.Request) (string, error) {
	role, _ := access.ParseRole(r.PostForm.Get("role"), access.ServerRoles())
	id := chi.URLParam(r, "id")
	err := s.sessions.accounts.SetRole(r.Context(), id, role)
	if err == nil {
		s.hub.Expel(live.RoleChanged, func(v live.Visitor) bool { return v.User == id })
	}
	return "role", err
}

func (s *Server) setPassword(r *http.Request) (string, error) {
	id := chi.URLParam(r, "id")
	err := s.sessions.accounts.SetPassword(r.Context(), id, r.PostForm.Get("password"))
	return "password", s.expelUser(id, err)
}

func (s *Server) removeUser(r *http.Request) (string, error) {
	id := chi.URLParam(r, "id")
	err := s.sessions.accounts.Remove(r.Context(), id)
	return "removed", s.expelUser(id, err)
}

// expelUser closes the sockets of a user whose sessions have ended, unless err
// is set, and returns err.
func (s *Server) expelUser(id string, err error) error {
	if err == nil {
		s.hub.Expel(live.SignedOut, func(v live.Visitor) bool { return v.User == id })
	}
	return err
}

// accountPage lets people change their own password and API tokens.
func (s *Server) accountPage(w http.ResponseWriter, r *http.Request) error {
	return s.showAccount(w, r, http.StatusOK, templates.AccountView{Notice: notices[r.URL.Query().Get("done")]})
}

// changePassword handles the form of that page. The user's other browsers are
// signed out; this one gets a new session.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	v, form := visitorOf(r.Context()), r.PostForm
	err := signInProblem(s.sessions.accounts.ChangePassword(r.Context(), form.Get("present"), form.Get("password"), s.address(r)))
	if p := problem.Of(err); err != nil && p.Status < 500 {
		s.answers.Failed(w, r, err)
		return s.showAccount(w, r, p.Status, templates.AccountView{Problem: p.Detail})
	}
	if s.expelUser(v.User, err) != nil {
		return err
	}
	token, session, _, err := s.signIn(r, v.Name, form.Get("password"))
	if err != nil {
		return err
	}
	s.sessions.remember(w, token, session.Expires)
	return s.showAccount(w, r, http.StatusOK, templates.AccountView{Notice: notices["password"]})
}
