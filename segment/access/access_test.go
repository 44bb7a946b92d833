package access

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
)

func TestRoles(t *testing.T) {
	actions := []Action{Enter, Read, Review, Annotate, Manage, Administer, Observe}
	for role, may := range map[Role][]bool{
		Nobody:    {false, false, false, false, false, false, false},
		User:      {true, false, false, false, false, false, false},
		Viewer:    {true, true, false, false, false, false, false},
		Reviewer:  {true, true, true, false, false, false, false},
		Annotator: {true, true, false, true, false, false, false},
		Owner:     {true, true, true, true, true, false, false},
		Admin:     {true, true, true, true, true, true, true},
		Observer:  {false, false, false, false, false, false, true},
	} {
		for i, a := range actions {
			if got := role.May(a); got != may[i] {
				t.Errorf("%v may %d: %v", role, a, got)
			}
		}
		if role.May(0) || role.May(Observe+1) {
			t.Errorf("%v can do something that is not an action", role)
		}
		for _, roles := range [][]Role{ServerRoles(), ProjectRoles()} {
			back, ok := ParseRole(role.String(), roles)
			if want := slices.Contains(roles, role); ok != want || ok && back != role || !ok && back != Nobody {
				t.Errorf("%v is read as %v, %v among %v", role, back, ok, roles)
			}
		}
	}
	if got := fmt.Sprint(Nobody, User, Viewer, Reviewer, Annotator, Owner, Admin, Observer, Observer+1); got != "nobody user viewer reviewer annotator owner admin observer role 8" {
		t.Errorf("the roles are called %s", got)
	}
	for _, name := range []string{"", "Admin", "root", "role 7", "nobody"} {
		if r, ok := ParseRole(name, append(ServerRoles(), ProjectRoles()...)); ok {
			t.Errorf("%q is read as %v", name, r)
		}
	}
}

func TestContext(t *testing.T) {
	if _, ok := From(context.Background()); ok || May(context.Background(), Enter) || AddressOf(context.Background()).IsValid() {
		t.Error("an empty context carries somebody")
	}
	ctx := With(context.Background(), Principal{User: "u", Name: "Ann", Role: User})
	if p, ok := From(ctx); !ok || p.User != "u" || !May(ctx, Enter) || May(ctx, Read) {
		t.Errorf("%+v", p)
	}
	if !May(With(ctx, Operator), Administer) {
		t.Error("the operator can't do everything")
	}
	if a := netip.MustParseAddr("192.0.2.1"); AddressOf(At(ctx, a)) != a {
		t.Error("the address is lost")
	}
}
