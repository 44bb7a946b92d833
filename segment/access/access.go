// Package access defines who makes a request and what they can do: roles, the
// actions they include, and the principal that a context carries. It is a leaf
// that the domain and the transports share; package accounts checks passwords.
package access

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
)

// Role is a person's role: on the server user or admin, in a project one of the
// others. An admin can do everything in every project.
type Role uint8

// The roles. Except for the reviewer, who can't annotate, and the observer, each
// includes what those before it can do.
const (
	Nobody    Role = iota // not signed in, or not a member: nothing
	User                  // on the server: whatever their projects allow
	Viewer                // in a project: look at everything and export it
	Reviewer              // also judge the work of others
	Annotator             // look, work on images and upload them
	Owner                 // also review, change the project and its classes, delete, choose the members
	Admin                 // on the server: everything, in all projects
	Observer              // on the server, for programs: its metrics and nothing else
)

var roleNames = [...]string{"nobody", "user", "viewer", "reviewer", "annotator", "owner", "admin", "observer"}

// ServerRoles returns the roles that a user can have on the server.
func ServerRoles() []Role { return []Role{User, Admin} }

// ProjectRoles returns the roles that a member can have in a project.
func ProjectRoles() []Role { return []Role{Viewer, Reviewer, Annotator, Owner} }

// String is the role's name in lower case.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("role %d", r)
}

// ParseRole returns the one of roles with a name, Nobody for other names.
func ParseRole(name string, roles []Role) (Role, bool) {
	for _, r := range roles {
		if r.String() == name {
			return r, true
		}
	}
	return Nobody, false
}

// Action is something that needs a right.
type Action uint8

// The actions. All but the first and the last two are done in a project.
const (
	Enter      Action = iota + 1 // be signed in: see a list of one's projects
	Read                         // see a project's images, evidence, hypotheses; export
	Review                       // say what is good enough
	Annotate                     // change evidence, upload images, steer sequences
	Manage                       // the project, its classes, trash and members
	Administer                   // users, the audit log, new projects, everything about the server
	Observe                      // the server's metrics
)

// includes lists what each role can do.
var includes = map[Role][]Action{
	User:      {Enter},
	Viewer:    {Enter, Read},
	Reviewer:  {Enter, Read, Review},
	Annotator: {Enter, Read, Annotate},
	Owner:     {Enter, Read, Review, Annotate, Manage},
	Admin:     {Enter, Read, Review, Annotate, Manage, Administer, Observe},
	Observer:  {Observe},
}

// May reports whether the role includes the action.
func (r Role) May(a Action) bool {
	return slices.Contains(includes[r], a)
}

// Principal is the user who makes a request.
type Principal struct {
	User string // identifier of the user; empty for Operator and Nobody
	Name string
	Role Role // on the server

	// Generation increases when all sessions of the user end, such as with a new
	// password. It is that of the session with which the request is made.
	Generation int

	// The API token that the request is made with; empty for people.
	Scope     Scope
	Token     string // identifier
	TokenName string
}

// Operator is the person at the machine, who runs the program's commands or
// uses a server without login.
var Operator = Principal{Name: "owner", Role: Admin}

type key struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From returns the principal that ctx carries, and whether it carries one. The
// zero Principal can do nothing.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(key{}).(Principal)
	return p, ok
}

// May reports whether ctx carries a principal whose role on the server includes
// the action.
func May(ctx context.Context, a Action) bool {
	p, _ := From(ctx)
	return p.Role.May(a)
}

type addressKey struct{}

// At returns a context that carries the address from which somebody asks.
func At(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressOf returns the address that ctx carries; the zero one if it has none.
func AddressOf(ctx context.Context) netip.Addr {
	a, _ := ctx.Value(addressKey{}).(netip.Addr)
	return a
}
