package main

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/cmd/internal/output"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/photo"
	"collie/storage/workspacetest"
)

// A user from before whose name is that of the projects' models is reported.
func TestDoctorNames(t *testing.T) {
	for name, wrong := range map[string]int{"project": 1, "Project": 0, "ann": 0} {
		d, err := openData(t.Context(), dataFlag{Data: t.TempDir()}, 0, photo.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.store.CreateUser(t.Context(), accounts.User{ID: "1", Name: name, Role: access.Admin, Created: time.Now()}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		v := &visit{data: d, out: streams{stdout: &output.Printed{To: &out}}}
		if err := v.all(access.With(t.Context(), access.Operator)); err != nil {
			t.Fatal(err)
		}
		if v.wrong != wrong || strings.Contains(out.String(), "user project: ") != (wrong > 0) {
			t.Errorf("%s: %d problems, want %d:\n%s", name, v.wrong, wrong, out.String())
		}
	}
}

// A project whose record can't be read is reported, and what follows is examined.
func TestDoctorNamesProjects(t *testing.T) {
	folder := t.TempDir()
	d, err := openData(t.Context(), dataFlag{Data: folder}, 0, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.workspace.CreateProject(t.Context(), "Dunes", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustDamage(t, folder, "UPDATE project SET classes = '[' WHERE id = ?", p.ID)
	var out bytes.Buffer
	v := &visit{data: d, out: streams{stdout: &output.Printed{To: &out}}}
	if err := v.all(access.With(t.Context(), access.Operator)); err != nil {
		t.Fatal(err)
	}
	if v.wrong != 1 || !strings.Contains(out.String(), `database: The record of the project "Dunes"`) || !strings.Contains(out.String(), "0 images") {
		t.Errorf("%d problems:\n%s", v.wrong, out.String())
	}
}

// mustDamage runs a statement in the database of a folder behind its back.
func mustDamage(t *testing.T, folder, statement, id string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(folder, databaseFile))
	if err == nil {
		_, err = db.ExecContext(t.Context(), statement, id)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An image whose record can't be read is reported, keeps its files, and keeps no other out
// of a backup, which has its files and the record as it is.
func TestDamagedImage(t *testing.T) {
	folder, restored := t.TempDir(), filepath.Join(t.TempDir(), "restored")
	d, err := openData(t.Context(), dataFlag{Data: folder}, 0, photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.workspace.CreateProject(t.Context(), "Dunes", nil, nil)
	for _, name := range []string{"bad.png", "good.png"} {
		if err == nil {
			_, err = d.workspace.AddImage(t.Context(), p.ID, name, workspacetest.Halves(t))
		}
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	mustDamage(t, folder, "UPDATE image SET classes = x'ff' WHERE name = ?", "bad.png")
	backup := filepath.Join(t.TempDir(), "backup.tar")
	if err := (&backupCommand{File: backup, dataFlag: dataFlag{Data: folder}}).Run(t.Context(), quiet); err != nil {
		t.Fatal(err)
	}
	if err := (&restoreCommand{File: backup, dataFlag: dataFlag{Data: restored}}).Run(t.Context(), quiet); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{folder, restored} {
		var out bytes.Buffer
		err := (&doctorCommand{dataFlag: dataFlag{Data: folder}}).Run(t.Context(), streams{&output.Printed{To: &out}, io.Discard})
		if err == nil || !strings.Contains(err.Error(), "1 problem found") {
			t.Errorf("%v", err)
		}
		for _, want := range []string{`database: The record of the image "bad.png"`, "2 images with 0 events examined, 1 damaged", "belong to no image: 0"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the doctor doesn't say %q:\n%s", want, out.String())
			}
		}
	}
}
