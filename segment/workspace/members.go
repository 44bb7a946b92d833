package workspace

import (
	"context"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// Guard makes the workspace refuse calls whose context carries no
// [access.Principal]. A server calls it before its first request, so that a
// forgotten principal denies access instead of granting it. Without Guard such
// calls count as the program's own.
func (w *Workspace) Guard() { w.guard.Strict() }

// May is [guard.Guard.May].
func (w *Workspace) May(ctx context.Context, a access.Action) error { return w.guard.May(ctx, a) }

// MayIn is [guard.Guard.MayIn].
func (w *Workspace) MayIn(ctx context.Context, projectID string, a access.Action) error {
	return w.guard.MayIn(ctx, projectID, a)
}

// RoleIn is [guard.Guard.RoleIn].
func (w *Workspace) RoleIn(ctx context.Context, projectID string) (access.Role, error) {
	return w.guard.RoleIn(ctx, projectID)
}

// Members lists the members of a project by name. Admins, who can do everything
// everywhere, need not be among them.
func (w *Workspace) Members(ctx context.Context, projectID string) ([]segment.Member, error) {
	if err := w.MayIn(ctx, projectID, access.Read); err != nil {
		return nil, err
	}
	return w.store.Members(ctx, projectID)
}

// SetMember gives the user of a name a role in a project, which counts from the
// next call on, and returns the member.
func (w *Workspace) SetMember(ctx context.Context, projectID, name string, role access.Role) (segment.Member, error) {
	if err := w.MayIn(ctx, projectID, access.Manage); err != nil {
		return segment.Member{}, err
	}
	if !role.May(access.Read) || role == access.Admin {
		return segment.Member{}, segment.Errorf(segment.Invalid, "A member's role must be viewer, reviewer, annotator or owner. Nothing was changed.")
	}
	return w.setMember(ctx, audit.New(ctx, audit.MemberSet, projectID, name+": "+role.String()), name, role)
}

// RemoveMember takes a member's role away, from the next call on, and returns who
// it was. What they did stays.
func (w *Workspace) RemoveMember(ctx context.Context, projectID, name string) (segment.Member, error) {
	if err := w.MayIn(ctx, projectID, access.Manage); err != nil {
		return segment.Member{}, err
	}
	return w.setMember(ctx, audit.New(ctx, audit.MemberRemoved, projectID, name), name, access.Nobody)
}

// setMember makes the change that e tells of. Admins can take the role of a project's
// only owner away, and give it back; owners can't, and the store checks that they still
// are owners.
func (w *Workspace) setMember(ctx context.Context, e audit.Entry, name string, role access.Role) (segment.Member, error) {
	p, _ := access.From(ctx)
	if p.Role == access.Admin {
		p.User = ""
	}
	return w.store.SetMember(audit.Note(ctx, e), e.About, name, role, p.User)
}

// own returns a function that says of the id of a project whether the principal of
// ctx can do a there.
func (w *Workspace) own(ctx context.Context, a access.Action) (can func(projectID string) bool, err error) {
	if err := w.May(ctx, access.Enter); err != nil {
		return nil, err
	}
	roles, err := w.Roles(ctx)
	return func(id string) bool { return roles.In(id).May(a) }, err
}

// Roles are those of a principal in projects.
type Roles struct {
	everywhere access.Role // of those who need not be members
	member     map[string]access.Role
}

// In returns the role in the project of an id.
func (r Roles) In(projectID string) access.Role {
	if r.member == nil {
		return r.everywhere
	}
	return r.member[projectID]
}

// May reports whether the principal can do a in any project, be it in the trash. O(projects).
func (r Roles) May(a access.Action) bool {
	if r.member == nil {
		return r.everywhere.May(a)
	}
	for _, role := range r.member {
		if role.May(a) {
			return true
		}
	}
	return false
}

// Roles returns the roles of the principal of ctx.
func (w *Workspace) Roles(ctx context.Context) (Roles, error) {
	role, err := w.guard.Role(ctx)
	if err != nil {
		return Roles{}, err
	}
	if role != access.User {
		return Roles{everywhere: role}, nil
	}
	p, _ := access.From(ctx)
	member := map[string]access.Role{}
	roles, err := w.store.RolesOf(ctx, p.User)
	for id, role := range roles {
		member[id] = p.Scope.Limit(role)
	}
	return Roles{member: member}, err
}
