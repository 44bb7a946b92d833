package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/audit"
	"collie/storage/storagetest"
)

// crashed writes a number of transactions and copies the files of the database as
// a kill would leave them, the write-ahead log included.
func crashed(t *testing.T, transactions int) (path string) {
	t.Helper()
	s := openAt(t, t.TempDir()).(*Store)
	for i := range transactions {
		if err := s.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "db")
	for _, suffix := range []string{"", "-wal", markSuffix} {
		b, err := os.ReadFile(s.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// A write-ahead log that lost its end is noticed and reported until it is
// acknowledged, and not before or after. Control: without the mark SQLite treats
// what is left as complete.
func TestLostEndOfLog(t *testing.T) {
	const transactions = 20
	for name, c := range map[string]struct {
		damage func(path string, log []byte) error
		says   string
	}{
		"nothing": {func(string, []byte) error { return nil }, ""},
		"cut": {func(path string, log []byte) error {
			return os.Truncate(path+"-wal", int64(len(log)*3/4))
		}, " of 20 transactions are missing"},
		"one bit": {func(path string, log []byte) error {
			log[len(log)*3/4] ^= 1
			return os.WriteFile(path+"-wal", log, 0o600)
		}, " of 20 transactions are missing"},
		"all of it": {func(path string, _ []byte) error { return os.Remove(path + "-wal") }, "its last 20 of 20 transactions are missing"},
		"control": {func(path string, log []byte) error {
			if err := os.Remove(path + markSuffix); err != nil {
				return err
			}
			return os.Truncate(path+"-wal", int64(len(log)*3/4))
		}, ""},
		"a mark that can't be read": {func(path string, _ []byte) error {
			return os.WriteFile(path+markSuffix, []byte("nonsense"), 0o600)
		}, ""},
		"the mark of another database": {func(path string, _ []byte) error {
			return os.WriteFile(path+markSuffix, fmt.Appendf(nil, markFormat, strings.Repeat("0", 32), 1000), 0o600)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := crashed(t, transactions)
			log, err := os.ReadFile(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(path, log); err != nil {
				t.Fatal(err)
			}
			kept := transactions
			for range 3 { // said at every start, and more transactions don't hide it
				s, err := Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				entries, err := s.EntriesAfter(t.Context(), 0, 100)
				if err != nil {
					t.Fatal(err)
				}
				kept = len(entries)
				losses, err := s.Losses()
				if err != nil || (len(losses) == 1) != (c.says != "") || c.says != "" && !strings.Contains(losses[0], c.says) {
					t.Errorf("%d transactions are there, losses %q, %v", kept, losses, err)
				}
				if err := s.CreateProject(t.Context(), segment.Project{ID: segment.NewID(), Name: "later", Classes: segment.DefaultClasses(), Created: segment.Now()}); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if lost := name == "cut" || name == "one bit" || name == "control" || name == "all of it"; (kept < transactions) != lost {
				t.Errorf("%d of %d transactions are left", kept, transactions)
			}
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.AcknowledgeLosses(); err != nil {
				t.Error(err)
			}
			if losses, err := s.Losses(); len(losses) > 0 || err != nil {
				t.Errorf("after they were acknowledged: %q, %v", losses, err)
			}
		})
	}
}

// A further loss is noted after those that nobody has acknowledged.
func TestFurtherLoss(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	for i := range 3 {
		if err := noteLoss(s.path, tally{marked: int64(i) + 1}); err != nil {
			t.Fatal(err)
		}
		if losses, err := s.Losses(); len(losses) != i+1 || err != nil {
			t.Errorf("%d losses are noted as %q, %v", i+1, losses, err)
		}
	}
}

// While one process writes, another that opens the database sees no loss: they
// count their transactions together.
func TestMarkOfTwoProcesses(t *testing.T) {
	s := openAt(t, t.TempDir()).(*Store)
	defer s.Close()
	before := counted(t, s)
	done := make(chan error)
	go func() {
		for range 200 {
			if err := s.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", "")); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 10 {
		other, err := Open(t.Context(), s.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", "")); err != nil {
			t.Error(err)
		}
		if losses, err := other.Losses(); len(losses) > 0 || err != nil {
			t.Errorf("%q, %v", losses, err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := counted(t, s) - before; n != 200+10 {
		t.Errorf("%d transactions are counted, want 210", n)
	}
}

// counted is the number of transactions that the database says it has had.
func counted(t *testing.T, s *Store) (n int64) {
	t.Helper()
	if err := s.reads.row(t.Context(), "SELECT number FROM commits").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A power cut leaves a mark with which it is noticed that the log then lost its
// end. Control: with a mark that is never synced nothing is noticed.
func TestMarkAfterPowerCut(t *testing.T) {
	t.Parallel()
	for name, careless := range map[string]bool{"synced": false, "control": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			power := storagetest.NewDisk(t)
			s := openAt(t, power.Dir).(*Store)
			if careless {
				was := s.writer.mark
				close(was.stop)
				<-was.done
				s.writer.mark = &mark{file: was.file, epoch: was.epoch, stop: make(chan struct{}), done: was.done}
			}
			const transactions = 20
			for i := range transactions {
				if err := s.Record(t.Context(), audit.New(t.Context(), audit.ServerStarted, "", fmt.Sprint(i))); err != nil {
					t.Fatal(err)
				}
			}
			limit := time.Now().Add(time.Minute)
			for m := s.writer.mark; !careless && m.synced.Load() < transactions; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatal("the mark is not synced")
				}
			}
			power.Cut()
			_ = s.Close()
			power.Back()
			log, err := os.Stat(s.path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(s.path+"-wal", log.Size()*3/4); err != nil {
				t.Fatal(err)
			}
			s = openAt(t, power.Dir).(*Store)
			defer s.Close()
			entries, err := s.EntriesAfter(t.Context(), 0, 100)
			if err != nil || len(entries) == 0 || len(entries) >= transactions {
				t.Fatalf("%d transactions are left, want some to be lost, %v", len(entries), err)
			}
			if losses, err := s.Losses(); (len(losses) == 0) != careless || err != nil {
				t.Errorf("%d of %d transactions are left, losses %q, %v", len(entries), transactions, losses, err)
			}
		})
	}
}
