package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"collie/segment/export"
)

// Images wait until there is memory for them; one that needs more than there is gets all.
func TestExportMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := within(100, nil)
		give, err := s.Pictures(t.Context(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		begun := false
		go func() {
			next, err := s.Pictures(t.Context(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			begun = true
			next()
		}()
		if synctest.Wait(); begun {
			t.Error("an image begins while another has all memory")
		}
		give()
		if synctest.Wait(); !begun {
			t.Error("an image doesn't begin although there is memory")
		}
	})
	if exportMemory() < 1<<20 {
		t.Errorf("%d bytes for an export", exportMemory())
	}
}

// What is the same of many images is said once, with a count and the first names.
func TestExportTells(t *testing.T) {
	r := &export.Report{Exported: 1, RegionsIn: 2, RegionsOut: 1, Images: []export.ImageReport{{Name: "a.png", Lossy: "A hole is filled."}}}
	for i := range 1000 {
		r.Skipped = append(r.Skipped, export.SkippedImage{Name: fmt.Sprintf("%d.png", i), Why: "It is unfinished."})
	}
	var said strings.Builder
	tell(&said, "out.zip", r)
	want := "out.zip: 1 image, 1 of 2 regions\n" +
		"  a.png: A hole is filled.\n" +
		"  0.png, 1.png, 2.png, 3.png, 4.png and 995 more, which manifest.json lists: left out. It is unfinished.\n"
	if said.String() != want {
		t.Errorf("got\n%swant\n%s", &said, want)
	}
}
