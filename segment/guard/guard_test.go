package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/guard"
)

var errDisk = errors.New("the disk is broken")

// members knows the roles in project p by user.
type members map[string]access.Role

func (m members) RoleIn(_ context.Context, project, user string) (access.Role, error) {
	switch {
	case user == "unlucky":
		return access.Owner, errDisk
	case project != "p":
		return access.Nobody, nil
	}
	return m[user], nil
}

func (m members) Image(_ context.Context, id string) (segment.Image, error) {
	switch id {
	case "image":
		return segment.Image{ID: id, ProjectID: "p"}, nil
	case "broken":
		return segment.Image{}, errDisk
	}
	return segment.Image{}, segment.Errorf(segment.NotFound, "no such row")
}

// What somebody can do on the server, in a project, in another one and with an image.
// Strangers can't tell what exists; members learn that their role is the reason.
func TestGuard(t *testing.T) {
	const (
		yes      = ""
		role     = "Your role in this project"
		admins   = "Only admins can do this"
		project  = "This project doesn't exist, is in the trash, or you are not a member of it."
		image    = "This image doesn't exist, is in the trash, or you are not a member of its project."
		disk     = "the disk is broken"
		annotate = access.Annotate
	)
	user := func(name string, scope access.Scope) context.Context {
		return access.With(t.Context(), access.Principal{User: name, Role: access.User, Scope: scope})
	}
	as := func(role access.Role) context.Context {
		return access.With(t.Context(), access.Principal{User: "x", Role: role})
	}
	for name, c := range map[string]struct {
		ctx                                   context.Context
		action                                access.Action
		server, in, elsewhere, image, missing string
	}{
		"the program, which carries nobody":     {t.Context(), annotate, project, project, project, project, project},
		"the operator":                          {access.With(t.Context(), access.Operator), annotate, yes, yes, yes, yes, image},
		"an admin who manages":                  {as(access.Admin), access.Manage, yes, yes, yes, yes, image},
		"nobody":                                {as(access.Nobody), access.Read, admins, project, project, image, image},
		"metrics for a token":                   {as(access.Observer), access.Observe, yes, yes, yes, image, image},
		"images for a token of metrics":         {as(access.Observer), access.Read, admins, project, project, image, image},
		"a token of an admin that reads":        {as(access.Viewer), access.Read, yes, yes, yes, yes, image},
		"a token of an admin that should write": {as(access.Viewer), annotate, admins, role, role, role, image},
		"an annotator":                          {user("ann", ""), annotate, admins, yes, project, yes, image},
		"an annotator who manages":              {user("ann", ""), access.Manage, admins, role, project, role, image},
		"a token of an annotator that reads":    {user("ann", access.ReadOnly), access.Read, admins, yes, project, yes, image},
		"a token that should write":             {user("ann", access.ReadOnly), annotate, admins, role, project, role, image},
		"a viewer":                              {user("vic", ""), access.Read, admins, yes, project, yes, image},
		"a viewer who annotates":                {user("vic", ""), annotate, admins, role, project, role, image},
		"a stranger":                            {user("sam", ""), access.Read, admins, project, project, image, image},
		"a broken disk":                         {user("unlucky", ""), access.Read, admins, disk, disk, disk, image},
	} {
		g := guard.New(members{"ann": access.Annotator, "vic": access.Viewer})
		g.Strict()
		_, withImage := g.Image(c.ctx, "image", c.action)
		_, withoutImage := g.Image(c.ctx, "none", c.action)
		for what, r := range map[string]struct {
			got  error
			want string
		}{
			"on the server": {g.May(c.ctx, c.action), c.server}, "in the project": {g.MayIn(c.ctx, "p", c.action), c.in},
			"in another project": {g.MayIn(c.ctx, "q", c.action), c.elsewhere}, "with an image": {withImage, c.image}, "with no image": {withoutImage, c.missing},
		} {
			switch {
			case r.want == yes && r.got != nil, r.want != yes && (r.got == nil || !strings.HasPrefix(r.got.Error(), r.want)):
				t.Errorf("%s, %s: %v, want %q", name, what, r.got, r.want)
			case r.want != disk && r.got != nil && segment.KindOf(r.got) != segment.NotFound:
				t.Errorf("%s, %s: %v is of kind %d", name, what, r.got, segment.KindOf(r.got))
			case errors.Is(r.got, segment.ErrRole) != (r.want == role || r.want == admins):
				t.Errorf("%s, %s: %v, because of the role: %v", name, what, r.got, errors.Is(r.got, segment.ErrRole))
			}
		}
	}
}

// Until a guard is strict, a context without a principal is the program's own; a named
// principal is checked.
func TestRoleIn(t *testing.T) {
	g := guard.New(members{"ann": access.Annotator})
	if err := errors.Join(g.May(t.Context(), access.Administer), g.MayIn(t.Context(), "p", access.Manage)); err != nil {
		t.Errorf("the program itself: %v", err)
	}
	if _, err := g.Image(t.Context(), "broken", access.Read); !errors.Is(err, errDisk) {
		t.Errorf("a broken disk: %v", err)
	}
	for user, want := range map[string]access.Role{"ann": access.Annotator, "sam": access.Nobody, "unlucky": access.Nobody} {
		role, err := g.RoleIn(access.With(t.Context(), access.Principal{User: user, Role: access.User}), "p")
		if role != want || (err == nil) != (want != access.Nobody) {
			t.Errorf("%s is %v, %v; want %v", user, role, err, want)
		}
	}
	if im, err := g.Image(access.With(t.Context(), access.Operator), "image", access.Read); im.ID != "image" || err != nil {
		t.Errorf("%+v, %v", im, err)
	}
}
