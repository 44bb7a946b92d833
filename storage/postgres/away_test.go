package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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
