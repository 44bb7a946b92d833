// Command inventory lists what the server is built from: every module that
// any released platform links, with its licence.
//
//	go run ./cmd/internal/inventory -licences FILE               the texts, as `server licences` prints them
//	go run ./cmd/internal/inventory -spdx FILE -version v1.2.3   a bill of materials, SPDX 2.3 as JSON
//
// The output depends on go.mod and go.sum alone.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("inventory: ")
	licences := flag.String("licences", "", "write the licence texts to `FILE`")
	spdx := flag.String("spdx", "", "write an SPDX 2.3 bill of materials to `FILE`")
	version := flag.String("version", "development", "`version` of the server in the bill of materials")
	flag.Parse()
	modules, err := linked("collie/cmd/server")
	if err != nil {
		log.Fatal(err)
	}
	if *licences != "" {
		if err := os.WriteFile(*licences, licenceTexts(modules), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if *spdx != "" {
		bill, err := billOfMaterials(modules, *version)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(*spdx, bill, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
