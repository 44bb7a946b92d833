package export_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/export"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// changing is a source whose classes change when the second image is opened.
type changing struct {
	*workspace.Workspace
	mu     sync.Mutex
	opened int
	change func()
}

func (c *changing) Visit(ctx context.Context, id string) (*annotation.Annotation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened++; c.opened == 2 {
		c.change()
	}
	return c.Workspace.Visit(ctx, id)
}

// A whole export uses one list of classes, or it fails.
func TestClassesChangeDuringExport(t *testing.T) {
	for _, format := range []string{"voc", "backup"} {
		for name, c := range map[string]struct {
			edit  segment.ProjectEdit
			fails bool
		}{
			"another name":     {segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0, Name: "ground"}}, {Class: segment.Class{ID: 1}}}}, false},
			"another order":    {segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 1}}, {Class: segment.Class{ID: 0}}}}, false},
			"one less":         {segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}}, Remap: map[uint8]uint8{1: 0}}, true},
			"one that is void": {segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}}, Remap: map[uint8]uint8{1: segment.Void}}, true},
			"one more": {segment.ProjectEdit{Classes: []segment.ClassEdit{
				{Class: segment.Class{ID: 0}}, {Class: segment.Class{ID: 1}}, {Class: segment.Class{Name: "tree"}, New: true},
			}}, true},
		} {
			t.Run(format+", "+name, func(t *testing.T) {
				w := workspacetest.MustOpen(t)
				p, _ := twoImages(t, w)
				source := &changing{Workspace: w, change: func() {
					if _, err := w.EditProject(t.Context(), p.ID, c.edit); err != nil {
						t.Error(err)
					}
				}}
				_, err := export.Write(t.Context(), io.Discard, source, p.ID, format, export.Options{}, nil)
				if failed := err != nil; failed != c.fails {
					t.Fatalf("error %v", err)
				}
				if c.fails && (segment.KindOf(err) != segment.Conflict || !strings.Contains(err.Error(), "classes changed during the export")) {
					t.Error(err)
				}
			})
		}
	}
}

// Other programs misread some names in labelmap.txt; the report of each image with
// such a class says so.
func TestNamesThatLabelmapsCannotHold(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Names", []segment.Class{{Name: "background"}, {Name: "1:2"}, {Name: "#hash"}, {Name: "C#"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := phototest.MustPNG(t, halves(120, 80))
	add(t, w, p.ID, "odd.png", file, at{1, 10, 40}, at{2, 110, 40})
	add(t, w, p.ID, "plain.png", file, at{0, 10, 40}, at{3, 110, 40})
	for format, want := range map[string]string{"voc": ": 1:2, #hash.", "index-png": ": 1:2, #hash.", "colour-png": ": 1:2, #hash.", "coco": "", "labelme": ""} {
		report, err := export.Write(t.Context(), io.Discard, w, p.ID, format, export.Options{Pictures: new(false)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if odd := report.Images[0].Lossy; want == "" && odd != "" || !strings.HasSuffix(odd, want) || report.Images[1].Lossy != "" {
			t.Errorf("%s: %+v", format, report.Images)
		}
	}
}

// A class keeps its number in COCO's files, whatever happens to the others: training code
// has it in its configuration.
func TestCategoriesKeepTheirNumbers(t *testing.T) {
	for format, document := range map[string]string{"coco": "instances_default", "coco-panoptic": "panoptic_default"} {
		w := workspacetest.MustOpen(t)
		p, err := w.CreateProject(t.Context(), "Farm", []segment.Class{{Name: "background"}, {Name: "barn"}, {Name: "cow"}, {Name: "dog"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.EditProject(t.Context(), p.ID, segment.ProjectEdit{Rest: &segment.Rest{}}); err != nil { // no background where nobody clicks
			t.Fatal(err)
		}
		add(t, w, p.ID, "a.png", phototest.MustPNG(t, halves(120, 80)), at{3, 10, 40}, at{2, 110, 40})
		numbers := func() map[string]int {
			files, _ := mustWrite(t, w, p.ID, format, export.Options{})
			var found struct {
				Categories []struct {
					ID   int
					Name string
				}
				Annotations []struct {
					CategoryID int `json:"category_id"`
					Segments   []struct {
						CategoryID int `json:"category_id"`
					} `json:"segments_info"`
				}
			}
			if err := json.Unmarshal(files["annotations/"+document+".json"], &found); err != nil {
				t.Fatal(err)
			}
			used := map[int]bool{}
			for _, a := range found.Annotations {
				used[a.CategoryID] = true
				for _, s := range a.Segments {
					used[s.CategoryID] = true
				}
			}
			of := map[string]int{}
			for _, c := range found.Categories {
				if of[c.Name] = c.ID; used[c.ID] != (c.Name == "cow" || c.Name == "dog") {
					t.Errorf("%s: category %d, %s, is used: %v", format, c.ID, c.Name, used[c.ID])
				}
			}
			return of
		}
		before := numbers()
		_, err = w.EditProject(t.Context(), p.ID, segment.ProjectEdit{Classes: []segment.ClassEdit{{Class: segment.Class{ID: 0}}, {Class: segment.Class{ID: 3}}, {Class: segment.Class{ID: 2}}}})
		if err != nil {
			t.Fatal(err)
		}
		delete(before, "barn")
		if diff := cmp.Diff(before, numbers()); diff != "" {
			t.Errorf("%s: numbers before and after:\n%s", format, diff)
		}
	}
}
