package postgres

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if server == nil {
			server = mustStartOn(tb, disk)
		}
		s, err := Open(tb.Context(), server.MustURL(tb, disk)+small)
		if err != nil {
			tb.Fatal(err)
		}
		return s
	})
}

// A database whose disk has no room for the tables is refused in a sentence, and used
// once there is room.
func TestDatabaseFullAtStart(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	disk, enlarge := storagetest.SmallDisk(t)
	address := mustStartOn(t, disk).MustURL(t, disk) + small
	f, err := os.Create(filepath.Join(disk, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if s, err := Open(t.Context(), address); err == nil {
		s.Close()
		t.Error("it is used")
	} else if !strings.Contains(err.Error(), "The disk of the database is full") {
		t.Error(err)
	}
	enlarge()
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// small is what an address has more whose tables are on the small disk.
var small = "&" + url.Values{"default_tablespace": {"small"}}.Encode()

// mustStartOn starts a server that has a tablespace on a disk.
func mustStartOn(tb testing.TB, disk string) *postgrestest.Server {
	tb.Helper()
	folder := filepath.Join(disk, "tables")
	server := postgrestest.MustStartOwn(tb)
	postgrestest.Admit(tb, disk)
	if err := os.Mkdir(folder, 0o700); err != nil {
		tb.Fatal(err)
	}
	postgrestest.Own(tb, folder)
	mustRun(tb, server.MustURL(tb, disk), "CREATE TABLESPACE small LOCATION '"+folder+"'")
	return server
}
