package sqlite

import (
	"context"
	"database/sql"
	"sync"

	"collie/storage/row"
)

// reader runs queries that change nothing. Each query is compiled once for each of
// its connections, which takes longer than most queries do.
type reader struct {
	*sql.DB
	prepared sync.Map // *sql.Stmt by query
}

func (r *reader) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := r.prepared.Load(query); ok {
		return s.(*sql.Stmt), nil
	}
	made, err := r.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, early := r.prepared.LoadOrStore(query, made)
	if early {
		made.Close()
	}
	return s.(*sql.Stmt), nil
}

// query runs a query. Its text must be one of few.
func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := r.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// row is query for a query of one row.
func (r *reader) row(ctx context.Context, query string, args ...any) row.Scanner {
	s, err := r.statement(ctx, query)
	if err != nil {
		return failedScan{err}
	}
	return s.QueryRowContext(ctx, args...)
}
