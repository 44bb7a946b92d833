// Package guard decides what the principal of a context can do with a project,
// an image or the server.
package guard

import (
	"context"
	"errors"
	"sync/atomic"

	"collie/segment"
	"collie/segment/access"
)

// Members knows who has which role in a project.
type Members interface {
	RoleIn(ctx context.Context, projectID, userID string) (access.Role, error)
	Image(ctx context.Context, id string) (segment.Image, error)
}

// Guard decides whether the principal of a context can do something. Safe for
// concurrent use.
type Guard struct {
	strict  atomic.Bool
	members Members
}

// New returns a guard that takes a context without a principal for the program's
// own.
func New(members Members) *Guard { return &Guard{members: members} }

// Strict makes the guard refuse contexts without a principal.
func (g *Guard) Strict() { g.strict.Store(true) }

// May returns an Error of kind NotFound when the principal of ctx can't do a on
// the server.
func (g *Guard) May(ctx context.Context, a access.Action) error {
	role, err := g.Role(ctx)
	if err != nil {
		return err
	}
	if !role.May(a) { // a project's role, as that of a token whose scope is less than its user, says nothing here
		return segment.Errorf(segment.NotFound, "Only admins can do this. Nothing was changed.").Because(segment.ErrRole)
	}
	return nil
}

// RoleIn is the role that the principal of ctx has in a project; NotFound without
// one.
func (g *Guard) RoleIn(ctx context.Context, projectID string) (access.Role, error) {
	role, err := g.roleIn(ctx, projectID)
	if err != nil {
		return access.Nobody, err
	}
	return role, denied(role, access.Read, noProject)
}

const (
	noProject = "This project doesn't exist, is in the trash, or you are not a member of it."
	noImage   = "This image doesn't exist, is in the trash, or you are not a member of its project."
)

// Role is the role of the principal of ctx on the server.
func (g *Guard) Role(ctx context.Context) (access.Role, error) {
	p, ok := access.From(ctx)
	switch {
	case ok:
		return p.Role, nil
	case !g.strict.Load():
		return access.Admin, nil
	}
	return access.Nobody, segment.Errorf(segment.NotFound, noProject).Because(errors.New("the context carries no principal"))
}

// roleIn is the role of the principal of ctx in a project.
func (g *Guard) roleIn(ctx context.Context, projectID string) (access.Role, error) {
	role, err := g.Role(ctx)
	if err != nil || role != access.User {
		return role, err
	}
	p, _ := access.From(ctx)
	role, err = g.members.RoleIn(ctx, projectID, p.User)
	return p.Scope.Limit(role), err
}

// MayIn returns an Error of kind NotFound when the principal of ctx can't do a in
// a project. Projects that don't exist and projects of others get the same one.
func (g *Guard) MayIn(ctx context.Context, projectID string, a access.Action) error {
	role, err := g.roleIn(ctx, projectID)
	if err != nil {
		return err
	}
	return denied(role, a, noProject)
}

// Image returns the record of an image of a project in which the principal of
// ctx can do a. An image that doesn't exist and one of others get the same error.
func (g *Guard) Image(ctx context.Context, id string, a access.Action) (segment.Image, error) {
	role, err := g.Role(ctx)
	if err == nil {
		err = denied(role, access.Enter, noImage)
	}
	if err != nil {
		return segment.Image{}, err
	}
	im, err := g.members.Image(ctx, id)
	if segment.KindOf(err) == segment.NotFound {
		return segment.Image{}, segment.Errorf(segment.NotFound, noImage)
	}
	if err != nil {
		return segment.Image{}, err
	}
	if role, err = g.roleIn(ctx, im.ProjectID); err != nil {
		return segment.Image{}, err
	}
	return im, denied(role, a, noImage)
}

// denied returns an error unless the role includes the action. Whoever can't
// even read gets the same error as strangers.
func denied(role access.Role, a access.Action, stranger string) error {
	switch {
	case role.May(a):
		return nil
	case !role.May(access.Read):
		return segment.Errorf(segment.NotFound, "%s", stranger)
	}
	return segment.Errorf(segment.NotFound, "Your role in this project (%s) doesn't include this. Nothing was changed.", role).Because(segment.ErrRole)
}
