package backup

import (
	"database/sql"
	"errors"
	"testing"
)

// execute changes a database behind the store's back.
func execute(tb testing.TB, path, statement string) error {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(tb.Context(), statement)
	_, checkpoint := db.ExecContext(tb.Context(), "PRAGMA journal_mode = DELETE")
	return errors.Join(err, checkpoint, db.Close())
}
