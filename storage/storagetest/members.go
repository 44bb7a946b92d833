package storagetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
)

// TeamStore is a Store that also keeps the users whose roles it keeps.
type TeamStore interface {
	Store
	accounts.Store
}

// TestMembers checks the contract of segment.MemberStore.
func TestMembers(t *testing.T, open func(tb testing.TB, place string) TeamStore) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	user := func(name string) accounts.User {
		u := accounts.User{ID: segment.NewID(), Name: name, Role: access.User, Created: moment()}
		must(t, s.CreateUser(ctx, u))
		return u
	}
	ann, bob := user("Ann"), user("bob")
	one, two := newProject("one"), newProject("two")
	must(t, s.CreateProject(ctx, one))
	must(t, s.CreateProject(ctx, two))
	is := func(u accounts.User, p segment.Project, want access.Role) {
		t.Helper()
		if got, err := s.RoleIn(ctx, p.ID, u.ID); got != want || err != nil {
			t.Errorf("%s is %v in %s, want %v: %v", u.Name, got, p.Name, want, err)
		}
		roles, err := s.RolesOf(ctx, u.ID)
		must(t, err)
		if roles[p.ID] != want {
			t.Errorf("%s is %v in %s by the list, want %v", u.Name, roles[p.ID], p.Name, want)
		}
	}
	set := func(p segment.Project, name string, role access.Role) segment.Member {
		t.Helper()
		m, err := s.SetMember(ctx, p.ID, name, role, "")
		must(t, err)
		return m
	}

	is(ann, one, access.Nobody)
	began := time.Now().Add(-time.Second)
	for _, role := range access.ProjectRoles() { // each in the place of the one before
		m := set(one, "aNN", role)
		if m.User != ann.ID || m.Name != "Ann" || m.Role != role || m.Since.Before(began) || m.Since.After(time.Now()) {
			t.Errorf("as %v: %+v", role, m)
		}
		is(ann, one, role)
	}
	was := set(one, "bob", access.Viewer)
	if again := set(one, "bob", access.Viewer); again != was {
		t.Errorf("the same role again: %+v, was %+v", again, was)
	}
	set(two, "bob", access.Reviewer)
	is(bob, one, access.Viewer)
	is(bob, two, access.Reviewer)
	is(ann, two, access.Nobody)

	listed := func(p segment.Project, want ...segment.Member) {
		t.Helper()
		got, err := s.Members(ctx, p.ID)
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(segment.Member{}, "Since"), emptyLists()); diff != "" {
			t.Errorf("members of %s (-want +got):\n%s", p.Name, diff)
		}
	}
	annOwns, bobViews := segment.Member{User: ann.ID, Name: "Ann", Role: access.Owner}, segment.Member{User: bob.ID, Name: "bob", Role: access.Viewer}
	listed(one, annOwns, bobViews)

	// What can't be done changes nothing.
	for _, c := range []struct {
		project, name string
		role          access.Role
	}{
		{one.ID, "cleo", access.Viewer},
		{segment.NewID(), "bob", access.Viewer},
		{two.ID, "ann", access.Nobody}, // has no role there
	} {
		_, err := s.SetMember(ctx, c.project, c.name, c.role, "")
		wantKind(t, segment.NotFound, err)
	}
	if _, err := s.SetMember(ctx, one.ID, "bob", access.Admin, ""); err == nil {
		t.Error("a role of the server is one in a project")
	}
	_, err := s.Members(ctx, segment.NewID())
	wantKind(t, segment.NotFound, err)
	listed(one, annOwns, bobViews)

	// All of it has reached the disk, and goes where its project and user go.
	closeStore(t, s)
	s = open(t, place)
	defer func() { closeStore(t, s) }()
	listed(one, annOwns, bobViews)
	set(one, "bob", access.Nobody)
	listed(one, annOwns)
	must(t, s.TrashProject(ctx, one.ID))
	is(ann, one, access.Owner) // who can restore it
	_, err = s.Members(ctx, one.ID)
	wantKind(t, segment.NotFound, err)
	_, err = s.Restore(ctx, one.ID, 0)
	must(t, err)
	must(t, s.RemoveUser(ctx, ann.ID))
	is(ann, one, access.Nobody)
	listed(one)
	ann = user("ann")
	is(ann, one, access.Nobody) // somebody else of the name
	set(one, "ann", access.Viewer)
	must(t, s.TrashProject(ctx, one.ID))
	_, err = s.Erase(ctx, time.Now().Add(time.Hour), noteErased)
	must(t, err)
	is(ann, one, access.Nobody)
	is(bob, two, access.Reviewer)
	testLastOwner(t, s, two, ann, bob)
	testFormerOwner(t, s, two, bob, user("cleo"), user("dora"))
}

// testLastOwner checks that a project which has owners keeps one, also when all step
// down or remove each other at the same moment.
func testLastOwner(t *testing.T, s TeamStore, p segment.Project, ann, bob accounts.User) {
	ctx := t.Context()
	set := func(u accounts.User, role access.Role, by string) error {
		_, err := s.SetMember(ctx, p.ID, u.Name, role, by)
		return err
	}
	for round := range 50 {
		must(t, errors.Join(set(ann, access.Owner, ""), set(bob, access.Owner, "")))
		var wait sync.WaitGroup
		var errs [2]error
		for i, u := range []accounts.User{ann, bob} {
			wait.Go(func() { errs[i] = set(u, []access.Role{access.Viewer, access.Nobody}[(round+i)%2], u.ID) })
		}
		wait.Wait()
		stayed := slices.IndexFunc(errs[:], func(err error) bool { return err != nil })
		if stayed < 0 || errs[1-stayed] != nil {
			t.Fatalf("round %d: both owners step down: %v, %v, want one refusal", round, errs[0], errs[1])
		}
		wantKind(t, segment.Conflict, errs[stayed])
		if role, err := s.RoleIn(ctx, p.ID, []string{ann.ID, bob.ID}[stayed]); role != access.Owner || err != nil {
			t.Errorf("who was refused is %v: %v", role, err)
		}
	}

	must(t, errors.Join(set(ann, access.Owner, ""), set(bob, access.Owner, ""), s.RemoveUser(ctx, ann.ID)))
	wantKind(t, segment.Conflict, set(bob, access.Reviewer, bob.ID)) // no longer has another owner beside them
	must(t, errors.Join(set(bob, access.Owner, bob.ID), set(bob, access.Reviewer, ""), set(bob, access.Nobody, "")))
}

// testFormerOwner checks that who is no longer an owner changes nothing, also when
// owners demote each other at the same moment and another one stays.
func testFormerOwner(t *testing.T, s TeamStore, p segment.Project, bob, cleo, dora accounts.User) {
	ctx := t.Context()
	set := func(u accounts.User, role access.Role, by string) error {
		_, err := s.SetMember(ctx, p.ID, u.Name, role, by)
		return err
	}
	must(t, set(dora, access.Owner, ""))
	for round := range 50 {
		must(t, errors.Join(set(bob, access.Owner, ""), set(cleo, access.Owner, dora.ID)))
		var wait sync.WaitGroup
		var first, second error
		wait.Go(func() { first = set(cleo, access.Nobody, bob.ID) })
		wait.Go(func() { second = set(bob, access.Viewer, cleo.ID) })
		wait.Wait()
		if (first == nil) == (second == nil) {
			t.Fatalf("round %d: two owners demote each other: %v, %v, want one refusal", round, first, second)
		}
		wantKind(t, segment.NotFound, errors.Join(first, second))
	}

	must(t, set(bob, access.Annotator, ""))
	wantKind(t, segment.NotFound, set(cleo, access.Owner, bob.ID))  // of a lesser role now
	wantKind(t, segment.NotFound, set(cleo, access.Nobody, bob.ID)) // whether there is something to do or not
	must(t, errors.Join(set(bob, access.Owner, dora.ID), set(cleo, access.Viewer, bob.ID), s.RemoveUser(ctx, bob.ID)))
	wantKind(t, segment.NotFound, set(cleo, access.Owner, bob.ID))
	if role, err := s.RoleIn(ctx, p.ID, cleo.ID); role != access.Viewer || err != nil {
		t.Errorf("after refused changes cleo is %v: %v", role, err)
	}
}
