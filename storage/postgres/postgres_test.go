package postgres

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"collie/storage/postgres/postgrestest"
	"collie/storage/row"
	"collie/storage/storagetest"
)

func TestMain(m *testing.M) {
	code := postgrestest.Main(m)
	if code == 0 && !storagetest.IsVictim() {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

func openAt(tb testing.TB, place string) storagetest.Store { return mustOpen(tb, place) }

func mustOpen(tb testing.TB, place string) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), postgrestest.MustStart(tb).MustURL(tb, place))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func openTeam(tb testing.TB, place string) storagetest.TeamStore { return mustOpen(tb, place) }

func TestStore(t *testing.T) { storagetest.TestStore(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledStore(t, openAt) }

func TestDamagedProject(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	storagetest.TestDamagedProject(t, s, func(statement string) error {
		_, err := s.pool.Exec(t.Context(), statement)
		return err
	})
}

func TestDamagedImage(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	storagetest.TestDamagedImage(t, s, func(id string) error {
		_, err := s.pool.Exec(t.Context(), "UPDATE image SET classes = '\\xff' WHERE id = $1", id)
		return err
	})
}

func TestMembers(t *testing.T) { storagetest.TestMembers(t, openTeam) }

func TestTokens(t *testing.T) { storagetest.TestTokens(t, openTeam) }

func TestIdentities(t *testing.T) { storagetest.TestIdentities(t, openTeam) }

func TestAudit(t *testing.T) { storagetest.TestAudit(t, openAt) }

func BenchmarkAppend(b *testing.B) { storagetest.BenchmarkAppend(b, openAt) }

func TestJobs(t *testing.T) {
	storagetest.TestJobs(t, func(tb testing.TB, place string) storagetest.JobStore { return mustOpen(tb, place) })
}

func TestTries(t *testing.T) {
	storagetest.TestTries(t, func(tb testing.TB, place string) storagetest.TriesStore { return mustOpen(tb, place) }, func(s storagetest.TriesStore) int {
		n, err := one(t.Context(), s.(*Store), row.Number[int], "SELECT count(*) FROM try")
		if err != nil {
			t.Error(err)
		}
		return n
	})
}

func TestSessions(t *testing.T) {
	storagetest.TestSessions(t, func(tb testing.TB, place string) storagetest.SessionStore { return mustOpen(tb, place) }, func(s storagetest.SessionStore) (all, hashed int) {
		if err := s.(*Store).pool.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE length(token) = 64) FROM session").Scan(&all, &hashed); err != nil {
			t.Error(err)
		}
		return all, hashed
	})
}

func BenchmarkProject(b *testing.B) {
	storagetest.BenchmarkProject(b, openAt, func(b *testing.B, s storagetest.Store, project string, images int) {
		conn, _, err := connect(b.Context(), s.(*Store).pool.Config().ConnConfig) // without a limit on the time of a statement
		if err == nil {
			defer closeConn(conn)
			_, err = conn.Exec(b.Context(), `INSERT INTO image (id, project, name, format, width, height, regions, bytes, created)
				SELECT md5(i::text || $1), number, i, 'jpeg', 4000, 3000, 600, 3000000, i FROM project, generate_series(1, $2::int) AS i WHERE id = $1`, project, images)
		}
		if err == nil {
			_, err = conn.Exec(b.Context(), "ANALYZE image")
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}
