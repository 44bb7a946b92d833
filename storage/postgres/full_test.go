package postgres

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"collie/storage/postgres/postgrestest"
	"collie/storage/storagetest"
)

// The tables are on a small disk: what does not fit is refused as such, and with more
// space writing goes on. The control of the contract is what did fit.
func TestDatabaseFull(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	var server *postgrestest.Server // of its own, because its disk has to be free of files in the end
	storagetest.TestFullStore(t, func(tb testing.TB, disk string) storagetest.Store {
		tb.Helper()
		folder := filepath.Join(disk, "tables")
		if server == nil {
			server = postgrestest.MustStartOwn(tb)
			postgrestest.Admit(tb, disk)
			if err := os.Mkdir(folder, 0o700); err != nil {
				tb.Fatal(err)
			}
			postgrestest.Own(tb, folder)
			conn, err := pgx.Connect(tb.Context(), server.MustURL(tb, disk))
			if err != nil {
				tb.Fatal(err)
			}
			defer conn.Close(tb.Context())
			if _, err := conn.Exec(tb.Context(), "CREATE TABLESPACE small LOCATION '"+folder+"'"); err != nil {
				tb.Fatal(err)
			}
		}
		s, err := Open(tb.Context(), server.MustURL(tb, disk)+"&"+url.Values{"default_tablespace": {"small"}}.Encode())
		if err != nil {
			tb.Fatal(err)
		}
		return s
	})
}
