package main

import (
	"bytes"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/cmd/internal/output"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/photo"
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
	db, err := sql.Open("sqlite", filepath.Join(folder, databaseFile))
	if err == nil {
		_, err = db.ExecContext(t.Context(), "UPDATE project SET classes = '[' WHERE id = ?", p.ID)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := &visit{data: d, out: streams{stdout: &output.Printed{To: &out}}}
	if err := v.all(access.With(t.Context(), access.Operator)); err != nil {
		t.Fatal(err)
	}
	if v.wrong != 1 || !strings.Contains(out.String(), `database: The record of the project "Dunes"`) || !strings.Contains(out.String(), "0 images") {
		t.Errorf("%d problems:\n%s", v.wrong, out.String())
	}
}
