package segment

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// keep is an entry for a class that doesn't change.
func keep(id uint8) ClassEdit { return ClassEdit{Class: Class{ID: id}} }

// added is an entry for a new class.
func added(name string) ClassEdit { return ClassEdit{Class: Class{Name: name}, New: true} }

// four is a project with the classes a, b, c and d.
func four() Project {
	p := Project{}
	for i, name := range []string{"a", "b", "c", "d"} {
		p.Classes = append(p.Classes, Class{uint8(i), name, fmt.Sprintf("#00000%d", i)})
	}
	return p
}

func names(classes []Class) string {
	var b strings.Builder
	for _, c := range classes {
		fmt.Fprintf(&b, "%d%s ", c.ID, c.Name)
	}
	return strings.TrimSpace(b.String())
}

func TestClassLists(t *testing.T) {
	rename := keep(2)
	rename.Name = "sea"
	var full []ClassEdit // as many new classes as a project can have, in place of the four
	for i := range MaxClasses {
		full = append(full, added(fmt.Sprint("new", i)))
	}
	tests := map[string]struct {
		edit ProjectEdit
		want string // ids and names
		gone string
		err  string
	}{
		"reorder":               {edit: ProjectEdit{Classes: []ClassEdit{keep(3), keep(0), keep(1), keep(2)}}, want: "3d 0a 1b 2c"},
		"rename and add":        {edit: ProjectEdit{Classes: []ClassEdit{keep(0), added("new"), keep(1), rename, keep(3)}}, want: "0a 4new 1b 2sea 3d"},
		"delete":                {edit: ProjectEdit{Classes: []ClassEdit{keep(3), keep(1)}}, want: "3d 1b", gone: "0→255 2→255"},
		"delete with remap":     {edit: ProjectEdit{Classes: []ClassEdit{keep(1), keep(2), keep(3)}, Remap: map[uint8]uint8{0: 3}}, want: "1b 2c 3d", gone: "0→3"},
		"by position":           {edit: ProjectEdit{ByPosition: true, Classes: []ClassEdit{added("w"), added("x"), added("y"), added("z"), added("new")}}, want: "0w 1x 2y 3z 4new"},
		"names swapped":         {edit: ProjectEdit{Classes: []ClassEdit{{Class: Class{ID: 1, Name: "a"}}, {Class: Class{ID: 0, Name: "b"}}, keep(2), keep(3)}}, want: "1a 0b 2c 3d"},
		"short by position":     {edit: ProjectEdit{ByPosition: true, Classes: []ClassEdit{added("w")}}, err: "fewer classes (1) than the project (4)"},
		"remap without a list":  {edit: ProjectEdit{ByPosition: true, Remap: map[uint8]uint8{9: 1}}, err: "list of classes is missing"},
		"twice":                 {edit: ProjectEdit{Classes: []ClassEdit{keep(0), keep(0)}}, err: "Class 0 appears twice"},
		"undecided":             {edit: ProjectEdit{Classes: []ClassEdit{keep(0), keep(Void)}}, err: "255 means undecided; ids of classes are 0 to 254"},
		"unknown":               {edit: ProjectEdit{Classes: []ClassEdit{keep(0), keep(9)}}, err: "Class 9 does not exist: this project has classes 0 to 3"},
		"remap to the unlisted": {edit: ProjectEdit{Classes: []ClassEdit{keep(0)}, Remap: map[uint8]uint8{1: 2}}, err: "not in the new list"},
		"remap of the listed":   {edit: ProjectEdit{Classes: []ClassEdit{keep(0), keep(1)}, Remap: map[uint8]uint8{1: 0}}, err: "does not delete"},
		"new without a name":    {edit: ProjectEdit{Classes: []ClassEdit{keep(0), added("")}}, err: "empty"},
		"255 new":               {edit: ProjectEdit{Classes: full}, err: "room for 255 classes, and deleted ones keep their places"},
		"same name":             {edit: ProjectEdit{Classes: []ClassEdit{keep(0), added("A")}}, err: "must differ"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := four()
			got, err := p.WithClasses(tt.edit, time.Now())
			if tt.err != "" {
				if KindOf(err) != Invalid || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one that says %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var gone []string
			for _, c := range got.Deleted {
				gone = append(gone, fmt.Sprintf("%d→%d", c.ID, c.Target))
			}
			if names(got.Classes) != tt.want || strings.Join(gone, " ") != tt.gone {
				t.Errorf("classes %s, deleted %v, want %s and %s", names(got.Classes), gone, tt.want, tt.gone)
			}
			if diff := cmp.Diff(four(), p, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the project before changed:\n%s", diff)
			}
		})
	}
}

func TestRestoreInTime(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	p, err := four().WithClasses(ProjectEdit{Classes: []ClassEdit{keep(0), keep(1), keep(3)}}, at)
	if err != nil {
		t.Fatal(err)
	}
	back := ProjectEdit{Classes: []ClassEdit{keep(2), keep(0), keep(1), keep(3)}}
	again, err := p.WithClasses(back, at.AddDate(0, 0, TrashDays).Add(-time.Second))
	if err != nil || names(again.Classes) != "2c 0a 1b 3d" || len(again.Deleted) != 0 {
		t.Errorf("restored: %s, %v, %v", names(again.Classes), again.Deleted, err)
	}
	if _, err := p.WithClasses(back, at.AddDate(0, 0, TrashDays)); KindOf(err) != Invalid || !strings.Contains(err.Error(), "30 days") {
		t.Errorf("after 30 days: %v", err)
	}
}

// A class added meanwhile may have got the colour of a deleted one, which then comes
// back in another.
func TestRestoreInAnotherColour(t *testing.T) {
	var p Project
	edit := func(classes ...ClassEdit) {
		t.Helper()
		var err error
		if p, err = p.WithClasses(ProjectEdit{Classes: classes}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	edit(added("a"), added("b"))
	was := p.Classes[1].Color
	edit(keep(0))
	edit(keep(0), keep(1))
	if p.Classes[1].Color != was {
		t.Errorf("restored in %s, want its own colour %s", p.Classes[1].Color, was)
	}
	edit(keep(0))
	edit(keep(0), added("c"))
	edit(keep(0), keep(2), keep(1))
	if c := p.Classes; c[1].Color != was || c[2].Color == was || c[2].Color == c[0].Color {
		t.Errorf("restored beside a class of its colour: %v", c)
	}
}

// Ids run out only after 255 classes, with an error that says so.
func TestIDsAreNotReused(t *testing.T) {
	p := Project{Classes: []Class{{0, "stays", "#000000"}}}
	var err error
	for i := 1; i < MaxClasses; i++ {
		if p, err = p.WithClasses(ProjectEdit{Classes: []ClassEdit{keep(0), added(fmt.Sprint(i))}}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if got := int(p.Classes[1].ID); got != i {
			t.Fatalf("class %d has id %d", i, got)
		}
	}
	if _, err = p.WithClasses(ProjectEdit{Classes: []ClassEdit{keep(0), added("more")}}, time.Now()); KindOf(err) != Invalid || !strings.Contains(err.Error(), "255 classes") {
		t.Errorf("class 256: %v", err)
	}
}

// Whatever is deleted, remapped, restored and reordered, an id stands for what
// rewriting all labels at each deletion would have made of it, as long as
// nothing is restored; and what is restored is itself again.
func TestResolveAgainstRewriting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := four()
		labels := map[uint8]uint8{} // what a label of each id has been rewritten to
		for _, c := range p.Classes {
			labels[c.ID] = c.ID
		}
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			order := rapid.Permutation(p.Classes).Draw(t, "order")
			stay := rapid.IntRange(1, len(order)).Draw(t, "stay")
			edit := ProjectEdit{Remap: map[uint8]uint8{}}
			for _, c := range order[:stay] {
				edit.Classes = append(edit.Classes, keep(c.ID))
			}
			rewrite := map[uint8]uint8{}
			for _, c := range order[stay:] {
				rewrite[c.ID] = Void
				if rapid.Bool().Draw(t, "remapped") {
					rewrite[c.ID] = rapid.SampledFrom(order[:stay]).Draw(t, "target").ID
					edit.Remap[c.ID] = rewrite[c.ID]
				}
			}
			if rapid.Bool().Draw(t, "add") {
				edit.Classes = append(edit.Classes, added(fmt.Sprint("new ", step)))
			}
			var err error
			if p, err = p.WithClasses(edit, time.Now()); err != nil {
				t.Fatal(err)
			}
			for id, l := range labels {
				if to, ok := rewrite[l]; ok {
					labels[id] = to
				}
			}
			for _, c := range p.Classes {
				labels[c.ID] = c.ID
			}
			table, positions := p.Resolve(), p.Positions()
			for id := range 256 {
				want, ok := labels[uint8(id)]
				if !ok {
					want = Void
				}
				if table[id] != want {
					t.Fatalf("step %d: %d stands for %d, want %d", step, id, table[id], want)
				}
				place := slices.IndexFunc(p.Classes, func(c Class) bool { return c.ID == want })
				if p.Index(uint8(id)) != place || place >= 0 && int(positions[id]) != place || place < 0 && positions[id] != Void {
					t.Fatalf("step %d: %d has place %d and %d, want %d", step, id, p.Index(uint8(id)), positions[id], place)
				}
			}
			if len(p.Deleted) == 0 || !rapid.Bool().Draw(t, "restore") {
				continue
			}
			back := rapid.SampledFrom(p.Deleted).Draw(t, "back").ID
			edit = ProjectEdit{Classes: []ClassEdit{keep(back)}}
			for _, c := range p.Classes {
				edit.Classes = append(edit.Classes, keep(c.ID))
			}
			if p, err = p.WithClasses(edit, time.Now()); err != nil {
				t.Fatal(err)
			}
			if got := p.Resolve()[back]; got != back {
				t.Fatalf("restored class %d stands for %d", back, got)
			}
			labels = map[uint8]uint8{} // from here on as the table has it
			for id, l := range p.Resolve() {
				labels[uint8(id)] = l
			}
		}
	})
}

func TestIDsInWords(t *testing.T) {
	p := Project{}
	for _, id := range []uint8{7, 2, 0, 1, 9, 10} {
		p.Classes = append(p.Classes, Class{ID: id})
	}
	if got := p.ids(); got != "0 to 2, 7, 9 to 10" {
		t.Errorf("ids %q", got)
	}
}

func TestNormalizeClasses(t *testing.T) {
	long := strings.Repeat("é", MaxName)
	many := make([]Class, MaxClasses+1)
	tests := map[string]struct {
		in   []Class
		want []Class
		err  string
	}{
		"colours from the palette": {
			in:   []Class{{Name: " sky "}, {Name: "sea", Color: "#AbCdEf"}},
			want: []Class{{Name: "sky", Color: PaletteColor(0)}, {Name: "sea", Color: "#abcdef"}},
		},
		"longest name":       {in: []Class{{ID: 7, Name: long, Color: "#000000"}}, want: []Class{{7, long, "#000000"}}},
		"marks of direction": {in: []Class{{Name: "\u200f\u200fشجرة\u200e 2", Color: "#000000"}}, want: []Class{{0, "شجرة 2", "#000000"}}},
		"only marks":         {in: []Class{{Name: "\u200f"}}, err: "is empty"},
		"same but for marks": {in: []Class{{Name: "شجرة"}, {Name: "شجرة\u200f"}}, err: "must differ"},
		"too long":           {in: []Class{{Name: long + "é"}}, err: `éé" is longer than 100`},
		"none":               {in: nil, err: "at least one"},
		"too many":           {in: many, err: "up to 255"},
		"empty name":         {in: []Class{{Name: " "}}, err: "is empty"},
		"same name":          {in: []Class{{Name: "Sky"}, {Name: "sky"}}, err: "must differ"},
		"accents apart":      {in: []Class{{Name: "Caf\u00e9"}, {Name: "cafe\u0301"}}, err: "must differ"},
		"control character":  {in: []Class{{Name: "a\x00b"}}, err: "control"},
		"right-to-left":      {in: []Class{{Name: "a\u202eb"}}, err: "text-direction"},
		"no width":           {in: []Class{{Name: "a\u200bb"}}, err: "invisible"},
		"byte order mark":    {in: []Class{{Name: "a\ufeffb"}}, err: "invisible"},
		"soft hyphen":        {in: []Class{{Name: "a\u00adb"}}, err: "invisible"},
		"empty letter":       {in: []Class{{Name: "\u3164"}}, err: "invisible"},
		"tag":                {in: []Class{{Name: "a\U000e0041"}}, err: "invisible"},
		"joiner in ASCII":    {in: []Class{{Name: "a\u200db"}}, err: "invisible"},
		"not UTF-8":          {in: []Class{{Name: "a\xff"}}, err: "UTF-8"},
		"bad colour":         {in: []Class{{Name: "a", Color: "red"}}, err: "#rrggbb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := NormalizeClasses(tt.in)
			if tt.err == "" && err != nil {
				t.Fatal(err)
			}
			if tt.err != "" && (KindOf(err) != Invalid || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want one that says %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestColoursAreFree(t *testing.T) {
	third := PaletteColor(2)
	got, err := NormalizeClasses([]Class{{Name: "a", Color: third}, {Name: "b"}, {Name: "c"}, {Name: "d"}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range got {
		if seen[c.Color] {
			t.Errorf("the classes %v share a colour", got)
		}
		seen[c.Color] = true
	}
	many := make([]Class, 21)
	for i := range many {
		many[i].Name = fmt.Sprint("class ", i)
	}
	if got, err = NormalizeClasses(many); err != nil || got[20].Color == got[0].Color {
		t.Errorf("the 21st class has the colour of the first, %v", err)
	}
}
