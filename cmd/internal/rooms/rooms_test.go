package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The picture in docs is that of the packages there are.
func TestPictureIsUpToDate(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-f", listed, "./...")
	list.Dir = "../../.."
	h, err := readHouse(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/rooms.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, h.draw()) {
		t.Error("docs/rooms.svg is out of date; go run ./cmd/internal/rooms draws it again")
	}
}

func TestHouse(t *testing.T) {
	h, err := readHouse(exec.CommandContext(t.Context(), "printf", "%s\n",
		"collie", "collie/cmd/server fmt collie/web collie/segment", "collie/web collie/segment net/http", "collie/segment time", "collie/web/e2e collie/web", "collie/storage/storagetest",
		"collie/cmd/train collie/cmd/train/internal/flags collie/segment", "collie/cmd/train/internal/flags collie/segment collie/web"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"cmd/server", "cmd/train"}, {"web"}, {"segment"}}, h.floors); diff != "" {
		t.Errorf("floors (-want +got):\n%s", diff)
	}
	for _, program := range []string{"cmd/server", "cmd/train"} { // what is internal to a program is in its box
		if diff := cmp.Diff([]string{"web"}, h.imports[program]); diff != "" {
			t.Errorf("arrows of %s, without those that follow from others (-want +got):\n%s", program, diff)
		}
	}
}
