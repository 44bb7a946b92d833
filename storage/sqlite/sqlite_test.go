package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/segment"
	"collie/segment/audit"
	"collie/segment/job"
	"collie/storage/row"
	"collie/storage/storagetest"
)

func TestMain(m *testing.M) {
	if storagetest.IsVictim() {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

func openAt(tb testing.TB, place string) storagetest.Store {
	tb.Helper()
	name := "collie?&%20 ü.db"
	if runtime.GOOS == "windows" { // where no name has a question mark
		name = "collie#&%20 ü.db"
	}
	s, err := Open(tb.Context(), filepath.Join(place, name))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) { storagetest.TestStore(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledStore(t, openAt) }

func TestDiskFull(t *testing.T) { storagetest.TestFullStore(t, openAt) }

// In the reserve of a disk edits are saved, and imports are refused.
func TestReserve(t *testing.T) {
	t.Parallel()
	place, _ := storagetest.SmallDisk(t)
	s := openAt(t, place).(*Store)
	defer s.Close()
	p := segment.Project{ID: segment.NewID(), Name: "p", Created: segment.Now()}
	im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "im", Format: "png", Width: 640, Height: 480, Regions: 600, Created: segment.Now()}
	if err := errors.Join(s.CreateProject(t.Context(), p), s.CreateImage(t.Context(), im, 0)); err != nil {
		t.Fatal(err)
	}
	storagetest.Leave(t, place, 200_000) // a twentieth are 209,715
	seq := 0
	for _, c := range []struct {
		segment.Event
		want segment.Kind
	}{
		{segment.Event{Kind: segment.Label, Superpixels: []int32{1}}, 0},
		{segment.Event{Kind: segment.Import, Cells: make([]uint8, 1000)}, segment.Full},
		{segment.Event{Kind: segment.FirstGuess, Scores: &segment.Scores{Classes: []uint8{0}, Shares: make([]uint8, 1000)}}, segment.Full},
		{segment.Event{Kind: segment.FirstGuess, Scores: &segment.Scores{Classes: []uint8{0}, Shares: make([]uint8, 600), Regions: 600}}, 0}, // copied
		{segment.Event{Kind: segment.FirstGuess}, 0},
		{segment.Event{Kind: segment.Embed, Embedding: &segment.Embedding{}}, segment.Full},
		{segment.Event{Kind: segment.Embed}, 0},
		{segment.Event{Kind: segment.Undo}, 0},
	} {
		c.ID, c.Created = segment.NewID(), segment.Now()
		err := s.Append(t.Context(), im.ID, seq, c.Event, segment.Progress{})
		if got := segment.KindOf(err); got != c.want || (err == nil) != (c.want == 0) {
			t.Errorf("%s as number %d: %v, want kind %d", c.Kind, seq+1, err, c.want)
		}
		if err == nil {
			seq++
		}
	}
}

func BenchmarkAppend(b *testing.B) { storagetest.BenchmarkAppend(b, openAt) }

func TestSynced(t *testing.T) { storagetest.TestSyncedStore(t, openAt) }

func TestBroken(t *testing.T) { storagetest.TestBrokenStore(t, openAt) }

func TestPowerCut(t *testing.T) { storagetest.TestCutStore(t, openAt, openCareless) }

// openCareless opens a store whose commits are synced at checkpoints only.
func openCareless(tb testing.TB, place string) storagetest.Store {
	tb.Helper()
	s := openAt(tb, place).(*Store)
	if _, err := s.writer.conn.ExecContext(tb.Context(), "PRAGMA synchronous = NORMAL"); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestReadOnly(t *testing.T) { storagetest.TestReadOnlyStore(t, openAt) }

// The callback is called after each commit.
func TestSyncedIsTold(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "collie.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var commits atomic.Int32
	s.Synced(func(took time.Duration) {
		if took > 0 {
			commits.Add(1)
		}
	})
	for range 3 {
		if err := s.CreateProject(t.Context(), segment.Project{ID: segment.NewID(), Name: "x", Classes: segment.DefaultClasses(), Created: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if n := commits.Load(); n != 3 {
		t.Errorf("told of %d commits, want 3", n)
	}
}

func TestMembers(t *testing.T) {
	storagetest.TestMembers(t, func(tb testing.TB, place string) storagetest.TeamStore { return openAt(tb, place).(*Store) })
}

func TestTokens(t *testing.T) {
	storagetest.TestTokens(t, func(tb testing.TB, place string) storagetest.TeamStore { return openAt(tb, place).(*Store) })
}

func TestIdentities(t *testing.T) {
	storagetest.TestIdentities(t, func(tb testing.TB, place string) storagetest.TeamStore { return openAt(tb, place).(*Store) })
}

func TestAudit(t *testing.T) { storagetest.TestAudit(t, openAt) }

// The table itself refuses changes to the audit log.
func TestAuditIsAppendOnly(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	for _, action := range []audit.Action{audit.UserAdded, audit.SignInFailed, audit.SignInFailed} {
		if err := s.Record(t.Context(), audit.New(t.Context(), action, "", "")); err != nil {
			t.Fatal(err)
		}
	}
	for statement, done := range map[string]bool{
		"UPDATE audit SET name = 'somebody else'":            false,
		"DELETE FROM audit":                                  false,
		"DELETE FROM audit WHERE action = 'user.add'":        false,
		"DELETE FROM audit WHERE action = 'session.refused'": true,
	} {
		if err := s.writer.write(t.Context(), func(w *writer) error { return w.exec(statement) }); (err == nil) != done {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if left, err := s.EntriesAfter(t.Context(), 0, 10); err != nil || len(left) != 1 || left[0].Name != "owner" {
		t.Errorf("%v, %v", left, err)
	}
}

func TestJobs(t *testing.T) {
	storagetest.TestJobs(t, func(tb testing.TB, place string) storagetest.JobStore { return openAt(tb, place).(*Store) })
}

// A job is begun again whose server died while its clock was ahead: nobody waits until
// the clock is there once more.
func TestJobOfClockAhead(t *testing.T) {
	s := mustFill(t, filepath.Join(t.TempDir(), "db"), 0)
	defer s.Close()
	if err := s.Add(t.Context(), job.Job{ID: "j", Kind: "paint", Arguments: []byte("{}")}, 1); err != nil {
		t.Fatal(err)
	}
	const ahead = 1000 * time.Hour
	if j, err := s.Claim(t.Context(), "died", []string{"paint"}, ahead+job.Lease); j == nil || err != nil {
		t.Fatal(j, err)
	}
	if j, err := s.Claim(t.Context(), "next", []string{"paint"}, job.Lease); err != nil || j == nil || j.Attempt != 2 {
		t.Errorf("after the restart: %+v, %v", j, err)
	}
	if j, err := s.Claim(t.Context(), "other", []string{"paint"}, job.Lease); j != nil || err != nil {
		t.Errorf("while it is being done: %+v, %v", j, err)
	}
}

func TestSessions(t *testing.T) {
	storagetest.TestSessions(t, func(tb testing.TB, place string) storagetest.SessionStore { return openAt(tb, place).(*Store) }, func(s storagetest.SessionStore) (all, hashed int) {
		if err := s.(*Store).reads.QueryRowContext(t.Context(), "SELECT count(*), count(*) FILTER (WHERE length(token) = 64) FROM session").Scan(&all, &hashed); err != nil {
			t.Error(err)
		}
		return all, hashed
	})
}

func TestDamagedProject(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	storagetest.TestDamagedProject(t, s, func(statement string) error {
		return s.writer.write(t.Context(), func(w *writer) error { return w.exec(statement) })
	})
}

func TestDamagedImage(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	storagetest.TestDamagedImage(t, s, func(id string) error {
		return s.writer.write(t.Context(), func(w *writer) error { return w.exec("UPDATE image SET classes = x'ff' WHERE id = ?", id) })
	})
}

func TestTries(t *testing.T) {
	storagetest.TestTries(t, func(tb testing.TB, place string) storagetest.TriesStore { return openAt(tb, place).(*Store) }, func(s storagetest.TriesStore) (n int) {
		if err := s.(*Store).reads.QueryRowContext(t.Context(), "SELECT count(*) FROM try").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	})
}

// A project's images are counted with each upload and each restored image, so this must
// not read the records of all others.
func TestCountingReadsNoRecords(t *testing.T) {
	s := mustFill(t, filepath.Join(t.TempDir(), "db"), 1)
	defer s.Close()
	plan, err := all(t.Context(), s.reads, func(r row.Scanner) (step string, err error) {
		var skip int
		err = r.Scan(&skip, &skip, &skip, &step)
		return step, err
	}, "planning", "EXPLAIN QUERY PLAN "+countImages, 1)
	if err != nil || len(plan) != 1 || !strings.Contains(plan[0], "USING COVERING INDEX image_by_project (project=? AND trashed_at=?)") {
		t.Error(plan, err)
	}
}

func BenchmarkProject(b *testing.B) {
	storagetest.BenchmarkProject(b, openAt, func(b *testing.B, s storagetest.Store, project string, images int) {
		if err := s.(*Store).writer.write(b.Context(), func(w *writer) error {
			return w.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				INSERT INTO image (id, project, name, format, width, height, regions, bytes, created)
				SELECT printf('%032x', i), number, i || '.jpg', 'jpeg', 4000, 3000, 600, 3000000, i FROM project, n WHERE id = ?`, images, project)
		}); err != nil {
			b.Fatal(err)
		}
	})
}
