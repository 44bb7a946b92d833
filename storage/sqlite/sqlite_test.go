package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

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
	s, err := Open(tb.Context(), filepath.Join(place, "collie?&%20 ü.db"))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) { storagetest.TestStore(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledStore(t, openAt) }

func TestDiskFull(t *testing.T) { storagetest.TestFullStore(t, openAt) }

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
