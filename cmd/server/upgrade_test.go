package main

import (
	"bytes"
	"database/sql"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to make databases of older programs

	"collie/cmd/internal/output"
	"collie/storage/sqlite"
)

// oldFolder makes a data folder whose database has the first version of the schema.
func oldFolder(t *testing.T) (folder, database string) {
	t.Helper()
	folder = t.TempDir()
	database = filepath.Join(folder, databaseFile)
	step, err := os.ReadFile("../../storage/sqlite/migrations/0001_projects.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(string(step) + "; PRAGMA user_version = 1; PRAGMA application_id = 0x436f6c6c")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return folder, database
}

// A server says that it has brought the database up to date, and where the old one is.
func TestUpgrade(t *testing.T) {
	keepProcess(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder, database := oldFolder(t)
	for _, says := range []bool{true, false} {
		c, err := parse(t, "--data", folder, "--listen", taken.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		if err := c.Serve.Run(t.Context(), streams{quiet.stdout, &log}); err == nil || !strings.Contains(err.Error(), "already listens") {
			t.Errorf("an address that is taken: %v", err)
		}
		if strings.Contains(log.String(), database+".v1.backup") != says {
			t.Errorf("the log names the copy: want %t. It says: %s", says, log.String())
		}
	}
}

// The program of a newer release changes nothing in a folder until its server starts: an
// older server may be running.
func TestCommandsBeforeUpgrade(t *testing.T) {
	folder, database := oldFolder(t)
	before, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := streams{&output.Printed{To: &out}, &out}
	for what, err := range map[string]error{
		"invite": (&inviteUsers{Names: []string{"ann"}, Role: "admin", Origin: "https://collie.example", dataFlag: dataFlag{Data: folder}}).Run(t.Context(), to),
		"list":   (&listUsers{dataFlag{Data: folder}}).Run(t.Context(), to),
		"backup": (&backupCommand{File: filepath.Join(t.TempDir(), "backup.tar"), dataFlag: dataFlag{Data: folder}}).Run(t.Context(), to),
	} {
		if !errors.Is(err, sqlite.ErrOlder) {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, err := os.ReadFile(database)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database has changed: %v", err)
	}
}
