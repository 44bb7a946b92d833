package segment

import (
	"context"
	"time"

	"collie/segment/access"
)

// Member is somebody who has a role in a project.
type Member struct {
	User  string // identifier
	Name  string
	Role  access.Role
	Since time.Time // of the role
}

// MemberStore keeps who has which role in which project. Projects in the trash
// keep their members.
type MemberStore interface {
	// Members lists the members of a project by name.
	Members(ctx context.Context, projectID string) ([]Member, error)
	// SetMember gives the user of a name, upper and lower case alike, a role in a
	// project, or takes it away if the role is Nobody, and returns the member as
	// they are then. A user who doesn't exist, or has no role to take away, is
	// NotFound. By is the id of the owner who makes the change. A user who no
	// longer owns the project gets NotFound, too, and a change that would leave the
	// project without its only owner is a Conflict. An empty id stands for an admin, to
	// whom neither rule applies.
	SetMember(ctx context.Context, projectID, name string, role access.Role, by string) (Member, error)
	// RoleIn is the role that a user has in a project: Nobody if there is no such
	// user, project or membership.
	RoleIn(ctx context.Context, projectID, userID string) (access.Role, error)
	// RolesOf returns the roles of a user by the ids of the projects.
	RolesOf(ctx context.Context, userID string) (map[string]access.Role, error)
}
