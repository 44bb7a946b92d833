package templates

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Person is who looks at a page, for what its frame shows of them and for what
// it need not offer them. The zero Person has not signed in.
type Person struct {
	Name, Role     string // empty on a server without login
	MayAnnotate    bool   // edit evidence and upload, in the project of the page
	MayReview      bool   // approve and reject images, in the project of the page
	MayManage      bool   // change the project of the page, or any
	MayCreate      bool   // make projects
	MayManageUsers bool
}

type personKey struct{}

// With returns a context for rendering pages for p.
func With(ctx context.Context, p Person) context.Context {
	return context.WithValue(ctx, personKey{}, p)
}

func person(ctx context.Context) Person {
	p, _ := ctx.Value(personKey{}).(Person)
	return p
}

// ownName is the name of somebody who would lose rights with their role in the project;
// an admin wouldn't.
func ownName(ctx context.Context) string {
	if person(ctx).MayCreate {
		return ""
	}
	return person(ctx).Name
}

// forAdmins hides an element from those who can't make projects.
func forAdmins(ctx context.Context) templ.Attributes {
	return templ.Attributes{"hidden": !person(ctx).MayCreate}
}

// forOwners hides an element from those who can't change the project.
func forOwners(ctx context.Context) templ.Attributes {
	return templ.Attributes{"hidden": !person(ctx).MayManage}
}

// forAnnotators hides an element from those who only look.
func forAnnotators(ctx context.Context) templ.Attributes {
	return templ.Attributes{"hidden": !person(ctx).MayAnnotate}
}

// forStatus hides an element from those who can't set a status by hand.
func forStatus(ctx context.Context) templ.Attributes {
	return templ.Attributes{"hidden": !person(ctx).MayAnnotate && !person(ctx).MayReview}
}

// forAssigning hides an element from those who can't assign images, and on a server
// without login, where there is nobody to assign them to.
func forAssigning(ctx context.Context) templ.Attributes {
	p := person(ctx)
	return templ.Attributes{"hidden": p.Name == "" || !p.MayAnnotate && !p.MayReview}
}

// LoginView is the page that asks for name and password.
type LoginView struct {
	Name    string // as it was typed before
	Next    string // where to go then
	Problem string // why it did not work, or empty
	OpenID  string // name of the OpenID provider, or empty
	SignOut string // address at which to sign out there, or empty
}

// UsersView is the list of users, for admins.
type UsersView struct {
	Users           []UserRow
	Roles           []string
	Notice, Problem string // what came of the last change
	Names           string // typed for new users who could not be added
	Invitations     []Invitation
	Days            int // that they last
}

// Invitation is a link that lets a user choose their password. It is shown once.
type Invitation struct{ Name, Link string }

// linkLines is the link of one invitation, or of several a line each, with the name and a
// tab before it, as tables take it.
func linkLines(all []Invitation) string {
	if len(all) == 1 {
		return all[0].Link
	}
	var b strings.Builder
	for _, i := range all {
		b.WriteString(i.Name + "\t" + i.Link + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// JoinView is the page that such a link leads to.
type JoinView struct {
	Name    string // of the user
	Secret  string // of the invitation
	Problem string // why the last password was not accepted, or empty
}

// UserRow is one user.
type UserRow struct {
	ID, Name, Role string
	Since          string  // the day it was added
	Own            bool    // who looks at the page
	SignsIn        []WayIn // empty on a server without an OpenID provider
	Invited        bool    // has no way to sign in yet
}

// WayIn is one way in which a user can sign in.
type WayIn struct {
	With    string // a password, or the name or the address of an OpenID provider
	Subject string // of the account there, or empty
}

// AccountView is the page about oneself.
type AccountView struct {
	Notice, Problem string // of the password, or of what was done last
	OpenID          string // name of the OpenID provider, for those who have no password here
	Tokens          []TokenRow
	TokenProblem    string
	TokenName       string // as typed
	NewToken        string // name of the token that was just created
	Secret          string // of that token, which is shown once
}

// TokenRow is an API token.
type TokenRow struct{ ID, Name, Scope, Created, Used, Expires string }

// roleName is what a role is called.
func roleName(role string) string {
	name, _, _ := strings.Cut(roleText(role), ":")
	return name
}

// roleText says what a role may do.
func roleText(role string) string {
	switch role {
	case "user":
		return "User: works in the projects they are members of"
	case "viewer":
		return "Viewer: views and exports"
	case "reviewer":
		return "Reviewer: views, exports and approves"
	case "annotator":
		return "Annotator: labels, uploads images and exports"
	case "owner":
		return "Owner: also manages the project and its members"
	case "admin":
		return "Admin: does everything in all projects, manages users"
	}
	return role
}

// AuditView is a page of the audit log.
type AuditView struct {
	Rows  []AuditRow
	Older string // the number before which the next page begins; empty on the last
	Later bool   // this is not the first page
	Days  int    // how long entries are kept
}

// AuditRow is one entry.
type AuditRow struct {
	At                  time.Time
	Name, Address, What string
	Detail              []AuditText
	Token               string // name of the API token that it was done with
}

// AuditText is a piece of the details of an entry.
type AuditText struct {
	Text string
	Link string // address of what the text names, or empty
}
