package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"collie/storage/disk"
)

// mark is the file beside a database that says how many transactions it has had.
// SQLite ends a write-ahead log at the first frame that is damaged, and takes the
// rest for something that never happened. So after each commit, which is on the
// disk by then, its number is written into this file: the file can be behind the
// database, never ahead of it unless the database has lost something. No
// acknowledgement waits for the file to be synced, which a goroutine does once a
// markPause: after a kill it is up to date, after a power cut at most that far
// behind, so that a loss of the last moment goes unnoticed.
type mark struct {
	file   *os.File // nil where it can't be written; it then stays behind
	epoch  string
	last   int64         // number of the last transaction that was this writer's
	number atomic.Int64  // the same, as written
	synced atomic.Int64  // the number that is on the disk
	stop   chan struct{} // closed to end the goroutine
	done   chan struct{} // closed when it has ended
}

const markPause = time.Second

const (
	markFormat = "%s %020d\n" // epoch and number; always as long
	markSuffix = "-mark"      // of the name of the database
	lostSuffix = "-lost"      // of the file with the losses that nobody has acknowledged
)

// tally is what a database and its mark say about the number of transactions.
type tally struct {
	epoch          string
	number, marked int64
}

// lost is how many transactions the database lacks.
func (t tally) lost() int64 { return max(0, t.marked-t.number) }

// readTally compares a database with its mark; ok is false for a database of an
// older version, which has none.
func readTally(ctx context.Context, conn *sql.Conn, path string) (t tally, ok bool) {
	if t, ok = readOnce(ctx, conn, path); t.lost() > 0 {
		t, ok = readOnce(ctx, conn, path) // perhaps another process was just writing the mark
	}
	return t, ok
}

// readOnce is readTally without a second look.
func readOnce(ctx context.Context, conn *sql.Conn, path string) (t tally, ok bool) {
	// The mark first: another process may be writing.
	var epoch string
	var number int64
	if b, err := os.ReadFile(path + markSuffix); err == nil {
		_, _ = fmt.Sscanf(string(b), markFormat, &epoch, &number) // what can't be read is no mark
	}
	if err := conn.QueryRowContext(ctx, "SELECT epoch, number FROM commits").Scan(&t.epoch, &t.number); err != nil {
		return t, false
	}
	if epoch == t.epoch {
		t.marked = number
	}
	return t, true
}

// openMark compares the database with its mark and opens that for writing. What
// the database lacks is noted in a file until somebody acknowledges it; see
// Store.Losses.
func openMark(ctx context.Context, conn *sql.Conn, path string) (_ *mark, err error) {
	t, ok := readTally(ctx, conn, path)
	if !ok {
		return nil, nil
	}
	if t.lost() > 0 {
		if err := noteLoss(path, t); err != nil {
			return nil, fmt.Errorf("noting that transactions are missing: %w", err)
		}
		if _, err := conn.ExecContext(ctx, "UPDATE commits SET number = ?", t.marked); err != nil {
			return nil, err
		}
	}
	m := &mark{epoch: t.epoch, stop: make(chan struct{}), done: make(chan struct{})}
	if m.file, err = disk.OpenFile(path + markSuffix); err != nil {
		m.file = nil // on a full disk, for example, people can still read
	} else {
		_ = disk.Sync(filepath.Dir(path)) // the file is of no use after a power cut that takes its name
	}
	m.set(max(t.number, t.marked))
	go m.keep()
	return m, nil
}

// set notes the number of the last transaction. Where that fails the file stays
// behind, which does no harm.
func (m *mark) set(number int64) {
	m.last = number
	if m.file == nil {
		return
	}
	if _, err := m.file.WriteAt(fmt.Appendf(nil, markFormat, m.epoch, number), 0); err == nil {
		m.number.Store(number)
	}
}

// keep syncs the file now and then until the mark is closed.
func (m *mark) keep() {
	defer close(m.done)
	for stopped := false; !stopped; {
		select {
		case <-time.After(markPause):
		case <-m.stop:
			stopped = true
		}
		if number := m.number.Load(); m.file != nil && number != m.synced.Load() && m.file.Sync() == nil {
			m.synced.Store(number)
		}
	}
}

func (m *mark) close() {
	if m == nil {
		return
	}
	close(m.stop)
	<-m.done
	if m.file != nil {
		_ = m.file.Close() // what it holds was synced, or stays behind
	}
}

func (t tally) String() string {
	return fmt.Sprintf("its last %d of %d transactions are missing: the write-ahead log has lost its end, or an older copy of the database was put in its place. What was saved in them is lost unless a backup has it", t.lost(), t.marked)
}

func noteLoss(path string, t tally) error {
	before, err := os.ReadFile(path + lostSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line := fmt.Sprintf("noticed on %s: %v\n", time.Now().UTC().Format(time.RFC3339), t)
	return disk.Write(path+lostSuffix, append(before, line...))
}

// Identity is random and the database's own; its backups have the same one.
func (s *Store) Identity(ctx context.Context) (epoch string, err error) {
	if err := s.reads.row(ctx, "SELECT epoch FROM commits").Scan(&epoch); err != nil {
		return "", fmt.Errorf("reading the identity of the database: %w", err)
	}
	return epoch, nil
}

// Losses returns what the database has lost, in words for people, until it is
// acknowledged.
func (s *Store) Losses() ([]string, error) {
	b, err := os.ReadFile(s.path + lostSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return s.lacks, nil
	}
	return append(strings.Split(strings.TrimSpace(string(b)), "\n"), s.lacks...), err
}

// AcknowledgeLosses forgets the losses so far.
func (s *Store) AcknowledgeLosses() error { return disk.Remove(s.path + lostSuffix) }
