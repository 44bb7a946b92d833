package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentify(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge,\n to any person obtaining a copy of this software"
	const bsd = "Redistributions in binary form must reproduce the above copyright\nnotice"
	for _, c := range []struct {
		text string
		want []string
	}{
		{mit, []string{"MIT"}},
		{bsd, []string{"BSD-2-Clause"}},
		{bsd + " may be used to endorse or promote products derived\nfrom this software without specific prior written permission", []string{"BSD-3-Clause"}},
		{mit + "\n\n" + bsd, []string{"MIT", "BSD-2-Clause"}},
		{"All rights reserved.", nil},
	} {
		if diff := cmp.Diff(c.want, identify(c.text)); diff != "" {
			t.Errorf("identify(%.40q…) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestUnknownLicenceIsRefused(t *testing.T) {
	folder := t.TempDir()
	m := module{Path: "example.org/secret", Version: "v1.0.0"}
	if err := os.WriteFile(folder+"/LICENSE", []byte("Ask our lawyers."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.readLicences(folder); err == nil || !strings.Contains(err.Error(), "example.org/secret") {
		t.Errorf("a module with an unknown licence gave %v, want an error that names it", err)
	}
}

// TestLicencesAreUpToDate holds what `server licences` prints against go.mod.
func TestLicencesAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: asks go list about six platforms")
	}
	modules, err := linked("collie/cmd/server")
	if err != nil {
		t.Fatal(err)
	}
	printed, err := os.ReadFile("../../server/licences.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(printed) != string(licenceTexts(modules)) {
		t.Error("cmd/server/licences.txt is out of date; run: go generate ./cmd/server")
	}

	bill, err := billOfMaterials(modules, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(bill, &d); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{"SPDXRef-DOCUMENT": true}
	for _, p := range d.Packages {
		if ids[p.ID] {
			t.Errorf("two packages have the id %s", p.ID)
		}
		ids[p.ID] = true
		if p.Declared == "" || p.Name != "collie" && len(p.Refs) == 0 && p.Name != "Go standard library" {
			t.Errorf("package %+v has no licence or no locator", p)
		}
	}
	for _, r := range d.Relationships {
		if !ids[r.From] || !ids[r.To] {
			t.Errorf("relationship %v names an unknown package", r)
		}
	}
}
