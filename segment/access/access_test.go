package access

import (
	"context"
	"testing"
)

func TestRoles(t *testing.T) {
	actions := []Action{Read, Annotate, Manage, ManageUsers}
	for role, may := range map[Role][]bool{
		Nobody:    {false, false, false, false},
		Viewer:    {true, false, false, false},
		Annotator: {true, true, false, false},
		Admin:     {true, true, true, true},
	} {
		for i, a := range actions {
			if got := role.May(a); got != may[i] {
				t.Errorf("%v may %d: %v", role, a, got)
			}
		}
		if role.May(0) {
			t.Errorf("%v can do something that is not an action", role)
		}
		back, ok := ParseRole(role.String())
		if ok != (role != Nobody) || back != role {
			t.Errorf("%v is read as %v, %v", role, back, ok)
		}
	}
	for _, name := range []string{"", "Admin", "root", "role 7"} {
		if r, ok := ParseRole(name); ok {
			t.Errorf("%q is read as %v", name, r)
		}
	}
}

func TestContext(t *testing.T) {
	if _, ok := From(context.Background()); ok || May(context.Background(), Read) {
		t.Error("an empty context carries somebody")
	}
	ctx := With(context.Background(), Principal{User: "u", Name: "Ann", Role: Annotator})
	if p, ok := From(ctx); !ok || p.User != "u" || !May(ctx, Annotate) || May(ctx, Manage) {
		t.Errorf("%+v", p)
	}
	if !May(With(ctx, Owner), ManageUsers) {
		t.Error("the owner may not do everything")
	}
}
