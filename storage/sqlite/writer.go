package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"collie/segment"
	"collie/storage/disk"
	"collie/storage/row"
)

const (
	maxQueue        = 1024     // requests that wait for the writer
	maxBatch        = 256      // requests in one transaction
	checkpointAfter = 1000     // requests between two checkpoints of the log
	checkpointBytes = 32 << 20 // of what they store, if these come first
)

// writer makes all changes to the database. Its goroutine takes the queued
// requests, runs them as one transaction with a savepoint for each of several, commits,
// and only then answers: one sync serves all waiting requests, and a refused
// request doesn't affect the others.
//
// After an I/O error the disk counts as failed, see disk.Health, and everything
// is refused until the program is restarted. With a full or read-only disk
// nothing was overwritten, so writing continues as soon as possible.
type writer struct {
	db       *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	queue    chan *request
	stop     chan struct{} // closed to end the goroutine
	done     chan struct{} // closed when it has ended
	health   *disk.Health
	folder   string                              // of the database file
	refusal  atomic.Pointer[segment.Error]       // of every request; see openCramped
	mark     *mark                               // of the last commit; nil for a database that has none
	written  int                                 // requests since the last checkpoint
	bytes    int                                 // of what they store, at least
	synced   atomic.Pointer[func(time.Duration)] // see Store.Synced
}

// request is one queued write. Whoever claims it first decides: the writer runs
// it, or the caller withdraws it because it no longer wants to wait.
type request struct {
	do      func(w *writer) error
	claimed atomic.Bool
	answer  chan error
}

func newWriter(db *sql.DB, conn *sql.Conn, mark *mark, folder string) *writer {
	w := &writer{
		db: db, conn: conn, prepared: map[string]*sql.Stmt{}, health: disk.NewHealth(), mark: mark, folder: folder,
		queue: make(chan *request, maxQueue), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// write runs do in a transaction and returns when it is on disk. If ctx ends
// before the writer has started it, nothing is changed; otherwise write waits
// for the answer, which comes soon, so that it is always known whether the
// write took place. An entry of the audit log that ctx carries is written in the
// same transaction.
func (w *writer) write(ctx context.Context, do func(w *writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{do: noting(ctx, do), answer: make(chan error, 1)}
	select {
	case w.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return row.Closed()
	}
	reason := ctx.Err
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
	case <-w.done:
		reason = row.Closed
	}
	if r.claimed.CompareAndSwap(false, true) {
		return reason()
	}
	return <-r.answer
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case r := <-w.queue:
			w.commit(w.gather(r))
		case <-w.stop:
			for len(w.queue) > 0 {
				w.commit(w.gather(<-w.queue))
			}
			return
		}
	}
}

// gather returns first and the other queued requests, without waiting for more.
func (w *writer) gather(first *request) []*request {
	var batch []*request
	for r := first; ; r = <-w.queue {
		if r.claimed.CompareAndSwap(false, true) {
			batch = append(batch, r)
		}
		if len(batch) == maxBatch || len(w.queue) == 0 {
			return batch
		}
	}
}

// commit runs the requests in one transaction and answers them.
func (w *writer) commit(batch []*request) {
	if len(batch) == 0 {
		return
	}
	answers := make([]error, len(batch))
	err := w.health.Err()
	if refusal := w.refusal.Load(); refusal != nil {
		err = refusal
	}
	if err == nil {
		err = w.transaction(batch, answers)
	}
	for i, r := range batch {
		if err != nil {
			r.answer <- err // the state that a request saw may not have been committed, so even its refusal doesn't count
			continue
		}
		r.answer <- answers[i]
	}
	w.written += len(batch)
	if err == nil && (w.written >= checkpointAfter || w.bytes >= checkpointBytes) {
		w.checkpoint()
	}
}

// transaction returns an error if nothing of the batch was stored; otherwise
// answers has the result of each request.
func (w *writer) transaction(batch []*request, answers []error) error {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return w.trouble(err)
	}
	run := w.one
	alone := len(batch) == 1
	if alone {
		run = func(r *request) error { return r.do(w) } // nothing else is rolled back with it
	}
	for i, r := range batch {
		answers[i] = run(r)
		if err := answers[i]; ends(err) {
			w.exec("ROLLBACK") // most such errors have already done so
			return w.trouble(err)
		}
	}
	if alone && answers[0] != nil { // refused
		if err := w.exec("ROLLBACK"); err != nil {
			return w.trouble(err)
		}
		return nil
	}
	var number int64
	if w.mark != nil {
		var err error
		if number, err = w.count(); err != nil {
			w.exec("ROLLBACK")
			return w.trouble(err)
		}
	}
	began := time.Now()
	if err := w.exec("COMMIT"); err != nil {
		w.exec("ROLLBACK")
		return w.trouble(err)
	}
	if w.mark != nil {
		w.mark.set(number)
	}
	if synced := w.synced.Load(); synced != nil {
		(*synced)(time.Since(began))
	}
	return nil
}

// count counts the current transaction and returns its number. Another process may
// have counted one since; only then the number has to be read, which takes longer.
func (w *writer) count() (number int64, err error) {
	number = w.mark.last + 1
	if counted, err := w.change("UPDATE commits SET number = ?1 WHERE number = ?1 - 1", number); err != nil || counted > 0 {
		return number, err
	}
	err = w.row("UPDATE commits SET number = number + 1 RETURNING number").Scan(&number)
	return number, err
}

// one runs a request and rolls its changes back if it fails.
func (w *writer) one(r *request) error {
	if err := w.exec("SAVEPOINT request"); err != nil {
		return err
	}
	err := r.do(w)
	if ends(err) {
		return err
	}
	if err != nil {
		if err := w.exec("ROLLBACK TO request"); err != nil {
			return err
		}
	}
	if err := w.exec("RELEASE request"); err != nil {
		return err
	}
	return err
}

// checkpoint moves the write-ahead log into the database file.
func (w *writer) checkpoint() {
	w.written, w.bytes = 0, 0
	var busy, pages, moved int
	if err := w.row("PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &moved); err != nil {
		w.trouble(err) // acknowledged writes are safe in the log
	}
}

// exec runs a statement, prepared once, that returns no rows. A transaction
// serves many callers and must not end because one of them leaves, so it
// doesn't use a caller's context.
func (w *writer) exec(query string, args ...any) error {
	_, err := w.change(query, args...)
	return err
}

// change is exec that returns how many rows have changed.
func (w *writer) change(query string, args ...any) (int64, error) {
	s, err := w.statement(query)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	for _, arg := range args {
		if b, ok := arg.([]byte); ok {
			w.bytes += len(b)
		}
	}
	return result.RowsAffected()
}

// changeOne is exec for a change of what may not be there, which is NotFound then.
func (w *writer) changeOne(what, query string, args ...any) error {
	rows, err := w.change(query, args...)
	if err == nil && rows == 0 {
		err = row.NotFound(what)
	}
	return err
}

// row is exec for a query of one row.
func (w *writer) row(query string, args ...any) row.Scanner {
	s, err := w.statement(query)
	if err != nil {
		return failedScan{err}
	}
	return s.QueryRowContext(context.Background(), args...)
}

func (w *writer) statement(query string) (*sql.Stmt, error) {
	if s, ok := w.prepared[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.prepared[query] = s
	}
	return s, err
}

type failedScan struct{ err error }

func (f failedScan) Scan(...any) error { return f.err }

// close commits what is queued and closes the database. After a failure it
// stays open until the process ends, because closing it would write to the
// file.
func (w *writer) close() error {
	close(w.stop)
	<-w.done
	w.mark.close()
	if w.health.Err() != nil {
		return nil
	}
	for _, s := range w.prepared {
		s.Close()
	}
	if w.conn == nil { // the one that reads was the only one
		return nil
	}
	return errors.Join(w.conn.Close(), w.db.Close())
}
