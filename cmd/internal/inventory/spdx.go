package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

// The parts of an SPDX 2.3 document that a list of packages needs
// (https://spdx.github.io/spdx-spec/v2.3/).
type document struct {
	Version       string         `json:"spdxVersion"`
	DataLicence   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID        string      `json:"SPDXID"`
	Name      string      `json:"name"`
	Version   string      `json:"versionInfo,omitempty"`
	Download  string      `json:"downloadLocation"`
	Analyzed  bool        `json:"filesAnalyzed"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Refs      []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// notInID are the characters that an SPDX identifier can't have.
var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// billOfMaterials lists the modules as an SPDX document. The time of creation
// is fixed, so that the same source gives the same bytes; the version says which
// release the document describes.
func billOfMaterials(modules []module, version string) ([]byte, error) {
	const root = "SPDXRef-collie"
	d := document{
		Version: "SPDX-2.3", DataLicence: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "collie-" + version,
		Namespace: "https://spdx.org/spdxdocs/collie-" + version,
		Creation:  creation{"1980-01-01T00:00:00Z", []string{"Tool: collie-inventory"}},
		Packages: []spdxPackage{{
			ID: root, Name: "collie", Version: version, Download: "NOASSERTION",
			Concluded: "Apache-2.0", Declared: "Apache-2.0", Copyright: "Copyright 2026 The Collie authors",
		}},
		Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", root}},
	}
	for _, m := range modules {
		p := spdxPackage{
			ID: "SPDXRef-" + notInID.ReplaceAllString(m.Path, "-"), Name: m.Path, Version: m.Version,
			Download: "NOASSERTION", Concluded: m.Licence, Declared: m.Licence, Copyright: "NOASSERTION",
		}
		if m.Version != "" {
			p.Refs = []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version}}
		}
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, relationship{root, "DEPENDS_ON", p.ID})
	}
	out, err := json.MarshalIndent(d, "", "  ")
	return append(out, '\n'), err
}
