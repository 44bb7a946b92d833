package move

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/audit"
	"collie/storage/postgres"
	"collie/storage/postgres/postgrestest"
	"collie/storage/row"
	"collie/storage/sqlite"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func mustSQLite(tb testing.TB) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "collie.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func mustPostgres(tb testing.TB) *postgres.Store {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), postgrestest.MustStart(tb).MustURL(tb, tb.TempDir()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// mustRecord fills a database with rows in all tables: of two projects, one in the
// trash, with values that are empty, missing, negative and not in ASCII.
func mustRecord(tb testing.TB, s interface {
	segment.Store
	accounts.Store
},
) {
	tb.Helper()
	ctx := tb.Context()
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	ann := accounts.User{ID: segment.NewID(), Name: "Ännchen", Role: access.Admin, Created: now, Hash: "hash"}
	check(s.CreateUser(ctx, ann, accounts.Identity{Issuer: "https://id.example.org", Subject: "1"}))
	check(s.CreateUser(ctx, accounts.User{ID: segment.NewID(), Name: "bob", Created: now}))
	_, err := s.AddToken(ctx, "hash of a token", ann, accounts.Token{ID: segment.NewID(), User: ann.ID, Name: "robot", Scope: access.ReadOnly}, 0)
	check(err)
	for i, name := range []string{"one", "zwei \" ' \\ 🙂"} {
		p := segment.Project{ID: segment.NewID(), Name: name, Classes: segment.DefaultClasses(), Rest: segment.Rest{Mode: segment.RestUndecided}, Unaided: i == 0, Created: now}
		check(s.CreateProject(ctx, p))
		_, err := s.SetMember(ctx, p.ID, "bob", access.Reviewer, "")
		check(err)
		for k := range 3 {
			im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: fmt.Sprint(name, k), Format: "png", Width: 640, Height: 480, Regions: 600, Bytes: 1 << 40, Created: now}
			check(s.CreateImage(ctx, im, 0))
			for n, e := range []segment.Event{
				{Kind: segment.Label, Superpixels: []int32{5, 3, -1, 1 << 30}, Points: [][2]float64{{0.1, 1e-300}, {-1, 2}}, Class: 254},
				{Kind: segment.Accept, Pick: &segment.Pick{Rank: segment.Offered, Digest: "d", Labels: []uint8{0, 255, 1}}, By: ann.ID},
				{Kind: segment.Undo},
				{Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 255, Runs: []int32{0, 5, 100, 1}}}},
				{Kind: segment.Restore, To: 1},
			} {
				e.ID, e.Created = fmt.Sprint("event ", n), now
				check(s.Append(ctx, im.ID, n, e, segment.Progress{Clicks: n, Decided: 1 / 3.0, Guessed: n%2 == 0, Classes: []segment.ClassShare{{ID: 3, Area: 7}}}))
			}
			if k == 1 {
				check(s.NoteDoubt(ctx, im.ID, new(0.1)))
				check(s.SetReview(ctx, p.ID, map[string]segment.Looked{im.ID: {Seq: 2}}, segment.Review{Status: segment.Approved, Comment: "gut", By: ann.ID, At: now}, true))
			}
			check(s.Assign(ctx, p.ID, []string{im.ID}, "bob", nil))
			if k == 2 {
				check(s.TrashImages(ctx, p.ID, []string{im.ID}))
			}
		}
		if i == 1 {
			check(s.TrashProject(ctx, p.ID))
		}
	}
	check(s.Record(ctx, audit.New(ctx, audit.ServerStarted, "", "detail")))
}

// There and back all rows are equal, new ones can be added, and a second move
// finds everything in place.
func TestRecords(t *testing.T) {
	t.Parallel()
	first, shared, back := mustSQLite(t), mustPostgres(t), mustSQLite(t)
	mustRecord(t, first)
	want, err := sumUp(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"project", "image", "event", "users", "member", "identity", "token", "audit"} {
		if want.rows[name] == 0 {
			t.Errorf("no rows in table %s to move", name)
		}
	}
	for _, way := range []struct{ from, to Database }{{first, shared}, {first, shared}, {shared, back}, {shared, back}} {
		rows, err := Records(t.Context(), way.from, way.to)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.rows, rows); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
	got, err := sumUp(t.Context(), back)
	if err != nil || !maps.Equal(want.sums, got.sums) {
		t.Errorf("after the way back the rows differ, %v", err)
	}
	for _, s := range []interface {
		segment.Store
		accounts.Store
	}{shared, back} {
		p := segment.Project{ID: segment.NewID(), Name: "new", Classes: segment.DefaultClasses(), Created: time.Now()}
		im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "new", Format: "png", Width: 1, Height: 1, Regions: 1, Created: time.Now()}
		if err := errors.Join(s.CreateProject(t.Context(), p), s.CreateImage(t.Context(), im, 0), s.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", ""))); err != nil {
			t.Errorf("a new row after the move: %v", err)
		}
	}
	// The control: different rows are not mistaken for a finished move.
	if _, err := Records(t.Context(), first, shared); segment.KindOf(err) != segment.Conflict {
		t.Errorf("a database with other rows: %v", err)
	}
}

// stopping ends a dump after some rows.
type stopping struct {
	Database
	left int
}

func (s *stopping) Dump(ctx context.Context, put row.Put) error {
	return s.Database.Dump(ctx, func(t row.Table, values []any) error {
		if s.left--; s.left < 0 {
			return errTest
		}
		return put(t, values)
	})
}

// A move that is interrupted leaves nothing, or all, and can be made again.
func TestInterruptedRecords(t *testing.T) {
	t.Parallel()
	first := mustSQLite(t)
	mustRecord(t, first)
	shared, back := mustPostgres(t), mustSQLite(t)
	for _, way := range []struct{ from, to Database }{{first, shared}, {shared, back}} {
		for _, n := range []int{0, 1, 20, 50} {
			if _, err := Records(t.Context(), &stopping{way.from, n}, way.to); !errors.Is(err, errTest) {
				t.Fatalf("after %d rows: %v", n, err)
			}
			if got, err := sumUp(t.Context(), way.to); n < 40 && (err != nil || len(got.rows) > 0) {
				t.Errorf("after %d rows: %v, %v are there", n, got.rows, err)
			}
		}
		if _, err := Records(t.Context(), way.from, way.to); err != nil {
			t.Error(err)
		}
	}
	if id, err := back.Identity(t.Context()); err != nil || strings.TrimSpace(id) == "" {
		t.Errorf("identity %q, %v", id, err)
	}
}

// changing loses a row of each dump after the first.
type changing struct {
	Database
	dumps int
}

func (c *changing) Dump(ctx context.Context, put row.Put) error {
	c.dumps++
	left := c.dumps - 1
	return c.Database.Dump(ctx, func(t row.Table, values []any) error {
		if left--; left >= 0 {
			return nil
		}
		return put(t, values)
	})
}

// Rows that differ after they were copied are detected, and the error is a whole
// sentence.
func TestDiffering(t *testing.T) {
	t.Parallel()
	first := mustSQLite(t)
	mustRecord(t, first)
	_, err := Records(t.Context(), &changing{Database: first}, mustSQLite(t))
	if err == nil || !strings.Contains(err.Error(), "differ after they were copied") || strings.Contains(err.Error(), "%!") {
		t.Errorf("rows that differ: %v", err)
	}
}
