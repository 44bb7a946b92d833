package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"collie/segment"
	"collie/storage/postgres/postgrestest"
	"collie/storage/row"
)

// A read whose connection breaks says that nothing was changed.
func TestBrokenRead(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	defer s.Close()
	_, err := one(t.Context(), s, row.Text, "SELECT pg_terminate_backend(pg_backend_pid())::text")
	if segment.KindOf(err) != segment.Unavailable || !strings.Contains(err.Error(), "Nothing was changed") {
		t.Errorf("%v; want that nothing was changed", err)
	}
}

// A read needs no connection of before, when all of them have been ended at once.
func TestReadAfterConnectionsEnded(t *testing.T) {
	t.Parallel()
	const many = 5
	s, err := Open(t.Context(), postgrestest.MustStart(t).MustURL(t, t.TempDir())+fmt.Sprintf("&pool_max_conns=%d", many))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var pids []uint32
	var conns []*pgxpool.Conn
	for range many {
		c, err := s.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conns, pids = append(conns, c), append(pids, c.Conn().PgConn().PID())
	}
	other := mustOpen(t, t.TempDir())
	defer other.Close()
	if _, err := other.pool.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM unnest($1::int[]) AS pid", pids); err != nil {
		t.Fatal(err)
	}
	for _, c := range conns {
		c.Release()
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("the database can be reached: %v", err)
	}
}

// A read waits for a connection once. Those who wait are many when a database has
// stopped answering, and a click reads several times.
func TestReadWaitsOnce(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), postgrestest.MustStart(t).MustURL(t, t.TempDir())+"&pool_max_conns=1")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	release := make(chan struct{})
	defer close(release)
	held := make(chan struct{})
	go func() {
		_ = s.with(context.Background(), func(context.Context, *pgx.Conn) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	began := time.Now()
	if err := s.Ready(t.Context()); segment.KindOf(err) != segment.Unavailable {
		t.Errorf("%v; want Unavailable", err)
	}
	if took := time.Since(began); took >= 2*patience {
		t.Errorf("a read waited %v for a connection, want %v", took, patience)
	}
}
