package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"collie/segment"
	"collie/storage/row"
)

// Dump passes on all rows of row.Tables as they are at one moment.
func (s *Store) Dump(ctx context.Context, put row.Put) error {
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("reading the database: %w", err)
	}
	defer tx.Rollback()
	for _, t := range row.Tables {
		if err := dump(ctx, tx, t, put); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

func dump(ctx context.Context, tx *sql.Tx, t row.Table, put row.Put) error {
	names, err := columns(ctx, tx, t)
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+table(t)+" ORDER BY "+t.Order)
	if err != nil {
		return err
	}
	defer rows.Close()
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := put(t, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// table is what a table is called here.
func table(t row.Table) string {
	if t.Name == "users" {
		return "user"
	}
	return t.Name
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// columns are the names of a table's columns, quoted. The number of an event is only
// here.
func columns(ctx context.Context, q querier, t row.Table) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT '"' || name || '"' FROM pragma_table_info(?) WHERE NOT (? = 'event' AND name = 'number') ORDER BY name`, table(t), t.Name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return row.List(rows, row.Text)
}

// Load fills an empty database with the rows that dump puts, in the order of
// row.Tables, and gives it an identity: all or nothing.
func (s *Store) Load(ctx context.Context, identity string, dump func(row.Put) error) error {
	return s.writer.write(ctx, func(w *writer) error {
		err := w.load(ctx, identity, dump)
		if err != nil && segment.KindOf(err) == 0 { // the disk is not to blame
			err = segment.Errorf(segment.Unavailable, "The database could not be filled. Nothing was changed.").Because(err)
		}
		return err
	})
}

func (w *writer) load(ctx context.Context, identity string, dump func(row.Put) error) error {
	inserts := map[string]string{}
	for _, t := range row.Tables {
		names, err := columns(ctx, w.conn, t)
		if err != nil {
			return err
		}
		var some bool
		if err := w.row("SELECT EXISTS (SELECT 1 FROM " + table(t) + ")").Scan(&some); err != nil {
			return err
		}
		if some {
			return segment.Errorf(segment.Conflict, "The database already has data (table %s). Nothing was changed.", t.Name)
		}
		inserts[t.Name] = fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", table(t), strings.Join(names, ", "), strings.Repeat(", ?", len(names)-1))
	}
	if err := dump(func(t row.Table, values []any) error { return w.exec(inserts[t.Name], values...) }); err != nil {
		return err
	}
	return w.exec("UPDATE commits SET epoch = ?", identity)
}
