// Command rooms draws the packages of the module and the arrows between them
// into docs/rooms.svg; run it in the module's folder.
package main

import (
	"log"
	"os"
	"os/exec"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("rooms: ", err)
	}
}

func run() error {
	h, err := readHouse(exec.Command("go", "list", "-f", listed, "./..."))
	if err != nil {
		return err
	}
	return os.WriteFile("docs/rooms.svg", h.draw(), 0o644)
}
