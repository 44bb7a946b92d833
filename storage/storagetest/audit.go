package storagetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/audit"
)

// TestAudit checks the contract of audit.Store, and that a change and the entry
// noted with it are written both or not at all.
func TestAudit(t *testing.T, open func(tb testing.TB, place string) Store) {
	ctx, place := t.Context(), t.TempDir()
	s := open(t, place)
	entry := func(action audit.Action, detail string) audit.Entry {
		return audit.Entry{At: moment(), User: "u", Name: "ann", Address: "192.0.2.1", Action: action, About: "p", Detail: detail, Token: "t", TokenName: "nightly export"}
	}
	var want []audit.Entry
	holds := func() {
		t.Helper()
		got, err := s.EntriesAfter(ctx, 0, 100)
		must(t, err)
		for i := range got {
			if i > 0 && got[i].Number <= got[i-1].Number {
				t.Errorf("entry %d has number %d, after %d", i, got[i].Number, got[i-1].Number)
			}
			if i < len(want) {
				want[i].Number = got[i].Number
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
	}
	holds()
	must(t, s.Record(ctx, entry(audit.ServerStarted, "")))
	p, e := newProject("one"), entry(audit.ProjectCreated, "one")
	must(t, s.CreateProject(audit.Note(ctx, e), p))
	want = append(want, entry(audit.ServerStarted, ""), e)
	want[0].At = mustEntries(t, s)[0].At
	holds()

	// A refused change leaves no entry, and neither does one without a note.
	if err := s.CreateProject(audit.Note(ctx, entry(audit.ProjectCreated, "again")), p); segment.KindOf(err) != segment.Conflict {
		t.Errorf("made twice: %v", err)
	}
	if err := s.TrashProject(audit.Note(ctx, entry(audit.ProjectTrashed, "nobody")), segment.NewID()); segment.KindOf(err) != segment.NotFound {
		t.Errorf("what is not there: %v", err)
	}
	must(t, s.UpdateProject(ctx, p))
	holds()

	// The log survives, and can be read from both ends in parts.
	closeStore(t, s)
	s = open(t, place)
	defer func() { closeStore(t, s) }()
	holds()
	for range 5 {
		e := entry(audit.SignInFailed, "")
		must(t, s.Record(ctx, e))
		want = append(want, e)
	}
	holds()
	middle, err := s.EntriesAfter(ctx, want[1].Number, 3)
	must(t, err)
	if diff := cmp.Diff(want[2:5], middle); diff != "" {
		t.Errorf("three after the second (-want +got):\n%s", diff)
	}
	latest, err := s.EntriesBefore(ctx, 0, 2)
	must(t, err)
	earlier, err := s.EntriesBefore(ctx, latest[1].Number, 100)
	must(t, err)
	if len(latest) != 2 || latest[0] != want[6] || latest[1] != want[5] || len(earlier) != 5 || earlier[0] != want[4] || earlier[4] != want[0] {
		t.Errorf("backwards: %v, %v", latest, earlier)
	}

	must(t, s.Record(ctx, entry(audit.ProjectTrashed, "two")))
	all := mustEntries(t, s)
	want = append(want, all[len(all)-1])
	for after, found := range map[int64][]audit.Entry{0: want[len(want)-1:], want[len(want)-1].Number: nil} {
		got, err := s.EntriesOf(ctx, audit.ProjectTrashed, after)
		must(t, err)
		if diff := cmp.Diff(found, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("of an action after %d (-want +got):\n%s", after, diff)
		}
	}

	// Old entries are removed, but only by the log's own time: a clock that is
	// ahead when it trims removes nothing.
	must(t, s.Trim(ctx, time.Now().AddDate(10, 0, 0)))
	holds()
	old := entry(audit.ServerStarted, "old")
	old.At = old.At.AddDate(0, 0, -audit.Days-1)
	must(t, s.Record(ctx, old))
	must(t, s.Trim(ctx, time.Now()))
	holds()
}

func mustEntries(t *testing.T, s Store) []audit.Entry {
	t.Helper()
	entries, err := s.EntriesAfter(t.Context(), 0, 100)
	must(t, err)
	return entries
}
