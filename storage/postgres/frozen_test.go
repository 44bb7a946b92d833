package postgres

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"collie/segment"
)

// An edit that is under way when the database freezes is answered before its request
// ends, and says that it may have been saved.
func TestFrozenDatabase(t *testing.T) {
	withFreezing(t, func(t *testing.T, s *Store) {
		began := time.Now()
		err := s.Append(t.Context(), "image", 0, segment.Event{ID: "e", Kind: segment.Label}, segment.Progress{})
		if took := time.Since(began); !segment.Uncertain(err) || !strings.Contains(err.Error(), "may or may not") || took > 25*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// A listener whose database freezes gives up and can try again.
func TestFrozenListener(t *testing.T) {
	withFreezing(t, func(t *testing.T, s *Store) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := s.listening(ctx)
		if took := time.Since(began); err == nil || errors.Is(err, errDeaf) || took > 25*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// withFreezing runs do, in which time passes at once, with a store whose database lets
// one connection sign in and then freezes.
func withFreezing(t *testing.T, do func(t *testing.T, s *Store)) {
	synctest.Test(t, func(t *testing.T) {
		var database freezing
		config, err := pgxpool.ParseConfig("postgres://collie@database/collie?sslmode=disable&pool_min_conns=0")
		if err != nil {
			t.Fatal(err)
		}
		config.ConnConfig.ConnectTimeout = patience
		config.ConnConfig.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil }
		config.ConnConfig.DialFunc = func(context.Context, string, string) (net.Conn, error) { return database.dial(), nil }
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		s := &Store{pool: pool, hints: newHints()}
		do(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // for what pgx still tries in the background
		database.end()
	})
}

// freezing is a database that lets one client sign in, and says nothing afterwards.
type freezing struct {
	mu      sync.Mutex
	servers []net.Conn
}

// end closes what the client may still read from in the background.
func (f *freezing) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, server := range f.servers {
		server.Close()
	}
}

func (f *freezing) dial() net.Conn {
	client, server := net.Pipe()
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.servers == nil
	f.servers = append(f.servers, server)
	go func() {
		backend := pgproto3.NewBackend(server, server)
		if _, err := backend.ReceiveStartupMessage(); err != nil {
			return
		}
		if first {
			backend.Send(&pgproto3.AuthenticationOk{})
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = backend.Flush() // the client has the error
		}
		for {
			if _, err := backend.Receive(); err != nil {
				return
			}
		}
	}()
	return client
}
