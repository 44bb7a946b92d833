// Package postgres keeps projects, image records and evidence in a PostgreSQL
// database that several servers share.
//
// An event is appended with one statement, which is a transaction by itself: the
// image's row is the lock, and a server that dies or freezes between two
// statements holds none. When a connection breaks during a write, the outcome
// is not known; the event's id then settles it.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"collie/segment"
	"collie/segment/accounts"
	"collie/storage/row"
)

const (
	connections = 16               // of one server, unless the address says pool_max_conns
	patience    = 5 * time.Second  // with which a request waits for a connection
	statement   = 15 * time.Second // after which a connection counts as broken; the database gives up earlier, after 10 s
)

// Store is a segment.Store in a PostgreSQL database. Safe for concurrent use,
// also by several processes.
type Store struct {
	pool   *pgxpool.Pool
	name   string // of the database, for people
	closed atomic.Bool
	unfit  atomic.Pointer[error]               // see Unfit
	failed chan struct{}                       // see Failed
	synced atomic.Pointer[func(time.Duration)] // see Synced
	hints  *hints
	direct *pgx.ConnConfig // where to hear of hints; nil for the address of the pool
}

var (
	_ segment.Store         = (*Store)(nil)
	_ accounts.Store        = (*Store)(nil)
	_ accounts.SessionStore = (*Store)(nil)
)

// Open connects to the database at a PostgreSQL URL and migrates its schema. It
// refuses, without changing anything, databases that could lose what was
// acknowledged, that can't be written, that hold tables of other programs, or
// whose schema is too new.
func Open(ctx context.Context, url string) (*Store, error) { return open(ctx, url, true) }

// OpenCurrent is Open for a database whose schema must be the program's own.
func OpenCurrent(ctx context.Context, url string) (*Store, error) { return open(ctx, url, false) }

func open(ctx context.Context, url string, migrates bool) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the address of the database can't be read; write it like postgres://USER@HOST/DATABASE: %w", err) // pgx leaves out the password
	}
	name := fmt.Sprintf("%s on %s", config.ConnConfig.Database, config.ConnConfig.Host)
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = patience
	config.AfterConnect = prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the database %s: %w", name, err)
	}
	err = examine(ctx, pool)
	if err == nil {
		err = migrate(ctx, pool, migrations, migrates)
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database %s: %w", name, pooled(err))
	}
	s := &Store{pool: pool, name: name, hints: newHints(), failed: make(chan struct{})}
	if err := s.stays(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// prepare sets a new connection up. These are statements, not parameters of the
// connection, because poolers refuse those.
func prepare(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SET synchronous_commit = on; SET statement_timeout = '10s'; SET lock_timeout = '5s';
		SET idle_in_transaction_session_timeout = '5s'; SET client_min_messages = warning;
		SELECT set_config('application_name', 'collie in ' || current_schema(), false)`)
	return err
}

// examine refuses databases that don't keep what they have acknowledged.
func examine(ctx context.Context, pool *pgxpool.Pool) error {
	var n nature
	err := pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('fsync'), current_setting('full_page_writes'),
		current_setting('server_encoding'), pg_is_in_recovery(), current_setting('transaction_read_only')`).Scan(&n.version, &n.fsync, &n.pages, &n.encoding, &n.standby, &n.readOnly)
	if err != nil {
		return unreached(err)
	}
	return n.unfit()
}

// nature is what a database says of itself.
type nature struct {
	version                          int
	fsync, pages, encoding, readOnly string
	standby                          bool
}

// unfit says why a database can't be used; nil if it can.
func (n nature) unfit() error {
	switch {
	case n.version < 150000:
		return fmt.Errorf("is PostgreSQL %d; version 15 or later is needed", n.version/10000)
	case n.fsync != "on":
		return errors.New("has fsync = off, so it loses acknowledged work in a power cut. Set fsync = on in postgresql.conf")
	case n.pages != "on":
		return errors.New("has full_page_writes = off, so a power cut can damage it. Set full_page_writes = on in postgresql.conf")
	case n.encoding != "UTF8":
		return fmt.Errorf("has the encoding %s; UTF8 is needed (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0)", n.encoding)
	case n.standby:
		return errors.New("is a standby, which can't be written. Give the address of the primary, or several hosts with target_session_attrs=read-write")
	case n.readOnly != "off":
		return errors.New("is read-only (default_transaction_read_only). Make it writable, or give the address of the primary")
	}
	return nil
}

// ListenAt makes Listen use another address of the same database: one without a
// pooler that swallows notifications. It comes before all other calls.
func (s *Store) ListenAt(url string) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("the address can't be read: %w", err) // pgx leaves out the password
	}
	config.ConnectTimeout = patience
	s.direct = config
	return nil
}

// Risks says, for people, what of the acknowledged work can be lost beyond a power
// cut, and what keeps servers from hearing of each other's work at once.
func (s *Store) Risks(ctx context.Context) (risks []string, err error) {
	standbys, err := one(ctx, s, row.Text, "SELECT current_setting('synchronous_standby_names')")
	if err != nil {
		return nil, err
	}
	if standbys == "" {
		risks = append(risks, "no synchronous standby is required (synchronous_standby_names is empty), so the latest edits can be lost with the database's disk, or when a standby takes over")
	}
	commits, err := one(ctx, s, row.Text, "SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'")
	if err != nil {
		return nil, err
	}
	if commits != "on" && commits != "remote_apply" {
		risks = append(risks, "synchronous_commit = "+commits+" for its role; behind a pooler in transaction mode, which keeps no settings of a server, acknowledged edits can be lost. ALTER ROLE … SET synchronous_commit = on")
	}
	conn, err := s.listening(ctx)
	if errors.Is(err, errDeaf) {
		return append(risks, err.Error()), nil
	}
	closeConn(conn)
	return risks, err
}

// String names the database, for people.
func (s *Store) String() string { return s.name }

// Close waits for what is under way and closes the connections.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.hints.close()
	s.pool.Close()
	return nil
}

// Synced makes the store call f with the time that each append took until it was
// on the database's disk.
func (s *Store) Synced(f func(took time.Duration)) { s.synced.Store(&f) }

// Ready returns nil if the database can be read.
func (s *Store) Ready(ctx context.Context) error {
	_, err := one(ctx, s, row.Text, "SELECT 'ready'")
	return err
}

// with runs do on a connection. If ctx ends before do begins, that is the error;
// do itself is not interrupted when the caller leaves, so that what it did is
// known.
func (s *Store) with(ctx context.Context, do func(ctx context.Context, c *pgx.Conn) error) error {
	if s.closed.Load() {
		return row.Closed()
	}
	if err := s.Unfit(); err != nil {
		return segment.Errorf(segment.Unavailable, "The server's program has become too old for its database. Nothing was changed, and earlier work is safe; it goes on when the server has been upgraded.").Unchanged().Because(err)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.pool.Acquire(waiting)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.closed.Load():
			return row.Closed()
		}
		return &brokenError{cause: err, never: true}
	}
	defer c.Release()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), statement)
	defer cancel()
	err = do(work, c.Conn())
	if err != nil && c.Conn().IsClosed() {
		return &brokenError{cause: err, sent: !pgconn.SafeToRetry(err)}
	}
	return err
}

// read is with for what changes nothing: it is repeated when a connection breaks, for
// after a restart of the database all that wait for use are broken. It is not when none
// could be had, for which it has waited long enough.
func (s *Store) read(ctx context.Context, do func(ctx context.Context, c *pgx.Conn) error) error {
	began := time.Now()
	err := s.with(ctx, do)
	var b *brokenError
	for range s.pool.Config().MaxConns {
		if !errors.As(err, &b) || b.never || time.Since(began) > patience {
			break
		}
		err = s.with(ctx, do)
	}
	if errors.As(err, &b) {
		b.sent = false // the outcome of a read is known: nothing was changed
	}
	return trouble(err)
}

// one reads a row with scan.
func one[T any](ctx context.Context, s *Store, scan func(row.Scanner) (T, error), query string, args ...any) (x T, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
		x, err = scan(c.QueryRow(ctx, query, args...))
		return err
	})
	return x, err
}

// all reads each row of a query with scan; doing says in errors what was going on.
func all[T any](ctx context.Context, s *Store, scan func(row.Scanner) (T, error), doing, query string, args ...any) (list []T, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		list, err = row.List(rows, scan)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return list, nil
}

// byID is all for rows that begin with an id, which scan reads before what the id
// stands for.
func byID[T any](ctx context.Context, s *Store, scan func(r row.Scanner, id *string, value *T) error, doing, query string, args ...any) (map[string]T, error) {
	values := map[string]T{}
	if _, err := all(ctx, s, row.ByID(values, scan), doing, query, args...); err != nil {
		return nil, err
	}
	return values, nil
}
