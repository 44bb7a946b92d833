package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"collie/segment"
	"collie/storage/row"
)

// long runs do in a transaction that takes as long as it needs.
func (s *Store) long(ctx context.Context, options pgx.TxOptions, do func(tx pgx.Tx) error) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return trouble(err)
	}
	defer c.Release()
	return pgx.BeginTxFunc(ctx, c, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
			return err
		}
		return do(tx)
	})
}

// Dump passes on all rows of row.Tables as they are at one moment.
func (s *Store) Dump(ctx context.Context, put row.Put) error {
	return s.long(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, t := range row.Tables {
			if err := dump(ctx, tx, t, put); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		return nil
	})
}

func dump(ctx context.Context, tx pgx.Tx, t row.Table, put row.Put) error {
	columns, err := columnsOf(ctx, tx, t)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "SELECT "+names(columns)+" FROM "+t.Name+" ORDER BY "+t.Order)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		for i, v := range values {
			switch v := v.(type) {
			case bool:
				values[i] = map[bool]int64{true: 1}[v]
			case int32:
				values[i] = int64(v)
			}
		}
		if err := put(t, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// column is a column of a table.
type column struct{ name, kind string }

// columnsOf are the columns of a table by name.
func columnsOf(ctx context.Context, tx pgx.Tx, t row.Table) ([]column, error) {
	rows, err := tx.Query(ctx, `SELECT column_name, data_type FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 ORDER BY column_name COLLATE "C"`, t.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return row.List(rows, func(r row.Scanner) (c column, err error) {
		err = r.Scan(&c.name, &c.kind)
		return c, err
	})
}

func names(columns []column) string {
	var list []string
	for _, c := range columns {
		list = append(list, pgx.Identifier{c.name}.Sanitize())
	}
	return strings.Join(list, ", ")
}

// Load fills an empty database with the rows that dump puts, in the order of
// row.Tables, and gives it an identity: all or nothing.
func (s *Store) Load(ctx context.Context, identity string, dump func(row.Put) error) error {
	return s.long(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		l := loading{tx: tx, columns: map[string][]column{}, inserts: map[string]string{}, waiting: &pgx.Batch{}}
		for _, t := range row.Tables {
			if err := l.prepare(ctx, t); err != nil {
				return err
			}
		}
		if err := dump(func(t row.Table, values []any) error { return l.put(ctx, t, values) }); err != nil {
			return err
		}
		if err := l.send(ctx); err != nil {
			return err
		}
		for _, t := range row.Tables {
			if t.Order != "number" {
				continue
			}
			if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%[1]s', 'number'), (SELECT coalesce(max(number), 0) + 1 FROM %[1]s), false)", t.Name)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE installation SET id = $1", identity)
		return err
	})
}

// Empty returns a Conflict for a database that Load would refuse.
func (s *Store) Empty(ctx context.Context) error {
	return s.long(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, t := range row.Tables {
			if err := empty(ctx, tx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func empty(ctx context.Context, tx pgx.Tx, t row.Table) error {
	var some bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+t.Name+")").Scan(&some); err != nil {
		return err
	}
	if some {
		return segment.Errorf(segment.Conflict, "The database already has data (table %s). Nothing was changed.", t.Name)
	}
	return nil
}

// loading is a database that is being filled.
type loading struct {
	tx      pgx.Tx
	columns map[string][]column
	inserts map[string]string
	waiting *pgx.Batch
}

// together is how many rows are sent at once.
const together = 500

func (l *loading) prepare(ctx context.Context, t row.Table) error {
	columns, err := columnsOf(ctx, l.tx, t)
	if err != nil {
		return err
	}
	if err := empty(ctx, l.tx, t); err != nil {
		return err
	}
	var places []string
	for i := range columns {
		places = append(places, fmt.Sprint("$", i+1))
	}
	l.columns[t.Name] = columns
	l.inserts[t.Name] = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, names(columns), strings.Join(places, ", "))
	return nil
}

func (l *loading) put(ctx context.Context, t row.Table, values []any) error {
	columns, own := l.columns[t.Name], make([]any, len(values))
	if len(values) != len(columns) {
		return fmt.Errorf("table %s has %d columns here and %d there", t.Name, len(columns), len(values))
	}
	for i, v := range values {
		own[i] = v
		if n, ok := v.(int64); ok && columns[i].kind == "boolean" {
			own[i] = n != 0
		}
	}
	l.waiting.Queue(l.inserts[t.Name], own...)
	if l.waiting.Len() < together {
		return nil
	}
	return l.send(ctx)
}

func (l *loading) send(ctx context.Context) error {
	err := l.tx.SendBatch(ctx, l.waiting).Close()
	l.waiting = &pgx.Batch{}
	return err
}
