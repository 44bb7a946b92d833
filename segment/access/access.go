// Package access says who is asking and what they can do: roles, the actions
// they include, and the principal that a context carries. It is a leaf that the
// domain and the transports share; who checks a password, and how, is the
// business of package accounts.
package access

import (
	"context"
	"fmt"
)

// Role is what a person is here. Each role includes those before it.
type Role uint8

// The roles, from the least to the most.
const (
	Nobody    Role = iota // not signed in: may nothing
	Viewer                // may look at everything and export it
	Annotator             // may also work on images and upload them
	Admin                 // may also make, change and remove projects, and manage the users
)

var roleNames = [...]string{"nobody", "viewer", "annotator", "admin"}

// Roles returns those that a user can have.
func Roles() []Role { return []Role{Viewer, Annotator, Admin} }

// String is the role's name in lower case.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("role %d", r)
}

// ParseRole reads the name of a role that a user can have.
func ParseRole(name string) (Role, bool) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, true
		}
	}
	return Nobody, false
}

// Action is a sort of thing to do.
type Action uint8

// The actions.
const (
	Read        Action = iota + 1 // see projects, images, evidence, hypotheses; export
	Annotate                      // change evidence, upload images, steer sequences
	Manage                        // projects, their classes, the trash
	ManageUsers                   // who has access
)

// least is the role that an action needs.
var least = map[Action]Role{Read: Viewer, Annotate: Annotator, Manage: Admin, ManageUsers: Admin}

// May reports whether the role includes the action.
func (r Role) May(a Action) bool {
	need, ok := least[a]
	return ok && r >= need
}

// Principal is who asks.
type Principal struct {
	User string // identifier of the user; empty for Owner and for nobody
	Name string
	Role Role
}

// Owner is the person at the machine: who runs the program's commands, and who
// uses the pages of a server that asks for no login.
var Owner = Principal{Name: "owner", Role: Admin}

type key struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, key{}, p)
}

// From returns the principal that ctx carries, and whether it carries one. The
// zero Principal may nothing.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(key{}).(Principal)
	return p, ok
}

// May reports whether ctx carries a principal whose role includes the action.
func May(ctx context.Context, a Action) bool {
	p, _ := From(ctx)
	return p.Role.May(a)
}
