package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Platforms are the systems that releases are built for, as GOOS/GOARCH.
var Platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// module is one module that ends up in the program, or Go itself.
type module struct {
	Path, Version string
	Licence       string    // SPDX expression
	Files         []licence // texts, by name
}

type licence struct {
	Name string
	Text string
}

// linked returns the modules that a package links on any of the platforms, by
// path, and last Go itself, whose library is linked too.
func linked(pkg string) ([]module, error) {
	found := map[string]module{}
	folders := map[string]string{}
	for _, platform := range Platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", pkg)
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		for lines.Scan() {
			field := strings.Split(lines.Text(), "\t")
			if len(field) == 3 {
				found[field[0]] = module{Path: field[0], Version: field[1]}
				folders[field[0]] = field[2]
			}
		}
	}
	modules := make([]module, 0, len(found)+1)
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	for i := range modules {
		if err := modules[i].readLicences(folders[modules[i].Path]); err != nil {
			return nil, err
		}
	}
	return append(modules, module{Path: "Go standard library", Licence: "BSD-3-Clause", Files: []licence{{"LICENSE", goLicence}}}), nil
}

// goLicence is that of Go's own library. It is kept here because not every
// distribution of Go puts the file in the same place.
//
//go:embed go-licence.txt
var goLicence string

// licenceFile matches the names that licences and the notices that must go with
// them have.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// phrase is what only one licence says, with white space folded.
type phrase struct{ id, has, lacks string }

var phrases = []phrase{
	{id: "Apache-2.0", has: "Apache License Version 2.0, January 2004"},
	{id: "MIT", has: "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{id: "ISC", has: "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{id: "BSD-3-Clause", has: "may be used to endorse or promote products derived from this software without"},
	{id: "BSD-2-Clause", has: "Redistributions in binary form must reproduce the above copyright", lacks: "endorse or promote products"},
	{id: "MPL-2.0", has: "Mozilla Public License Version 2.0"},
	{id: "MPL-2.0", has: "Mozilla Public License, version 2.0"},
}

// identify returns the SPDX identifiers of the licences in a text.
func identify(text string) (ids []string) {
	folded := strings.Join(strings.Fields(text), " ")
	for _, p := range phrases {
		if strings.Contains(folded, p.has) && (p.lacks == "" || !strings.Contains(folded, p.lacks)) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// readLicences fills in Licence and Files from the module's own folder. A
// module whose licence can't be named is an error: nothing is shipped unseen.
func (m *module) readLicences(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, licence{e.Name(), string(text)})
		for _, id := range identify(string(text)) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%s %s: no known licence in %s", m.Path, m.Version, folder)
	}
	slices.Sort(ids)
	m.Licence = strings.Join(ids, " AND ")
	return nil
}

// licenceTexts is a list of all modules, then the full texts.
func licenceTexts(modules []module) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "Collie is licensed under the Apache License 2.0. It contains these modules:")
	fmt.Fprintln(&b)
	for _, m := range modules {
		fmt.Fprintf(&b, "%s (%s)\n", strings.TrimSpace(m.Path+" "+m.Version), m.Licence)
	}
	for _, m := range modules {
		for _, f := range m.Files {
			fmt.Fprintf(&b, "\n%s\n%s: %s\n\n", strings.Repeat("-", 80), m.Path, f.Name)
			b.WriteString(strings.TrimRight(strings.ReplaceAll(f.Text, "\r\n", "\n"), "\n"))
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
