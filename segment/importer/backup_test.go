package importer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/archive"
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
	"collie/superpixels"
)

// scene is a picture of three parts.
func scene() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 120, 80))
	for y := range 80 {
		for x := range 120 {
			c := color.NRGBA{200, uint8(x%16 + y%16), 0, 255}
			switch {
			case x >= 60 && y < 40:
				c = color.NRGBA{0, uint8(x%16 - y%16 + 16), 200, 255}
			case x >= 60:
				c = color.NRGBA{30, 180, uint8(40 + x%8), 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// mustOpenFirst opens the first image of a project until the test ends.
func mustOpenFirst(tb testing.TB, w *workspace.Workspace, project string) *annotation.Annotation {
	tb.Helper()
	images, err := w.ImagesAfter(tb.Context(), project, "", 1e6)
	if err != nil {
		tb.Fatal(err)
	}
	return workspacetest.MustOpenImage(tb, w, images[0].ID)
}

func mustAppend(tb testing.TB, a *annotation.Annotation, events ...segment.Event) {
	tb.Helper()
	for _, e := range events {
		e.ID = segment.NewID()
		if _, err := a.Append(tb.Context(), a.State().Seq, e); err != nil {
			tb.Fatal(err)
		}
	}
}

// worked creates a project with every kind of event.
func worked(tb testing.TB, w *workspace.Workspace) segment.Project {
	tb.Helper()
	p, err := w.CreateProject(tb.Context(), "Worked", []segment.Class{{Name: "ground"}, {Name: "sky"}, {Name: "tree"}, {Name: "bird"}}, &segment.Rest{Mode: segment.RestClass, Class: 1})
	if err != nil {
		tb.Fatal(err)
	}
	for range 2 {
		im, err := w.AddImage(tb.Context(), p.ID, "scene.png", bytes.NewReader(scene()))
		if err != nil {
			tb.Fatal(err)
		}
		a, err := w.Open(tb.Context(), im.ID)
		if err != nil {
			tb.Fatal(err)
		}
		defer a.Close()
		mustAppend(tb, a,
			segment.Event{Kind: segment.Label, Class: 0, Points: [][2]float64{{10, 40}}},
			segment.Event{Kind: segment.Label, Class: 1, Points: [][2]float64{{100, 10}}},
			segment.Event{Kind: segment.Label, Class: 3, Points: [][2]float64{{100, 70}}},
			segment.Event{Kind: segment.Accept, Pick: &segment.Pick{}},
			segment.Event{Kind: segment.Granularity, Regions: 9},
			segment.Event{Kind: segment.Pixels, Repairs: []segment.Repair{{Class: 2, Runs: []int32{130, 7, 250, 7}}, {Class: segment.Void, Runs: []int32{0, 3}}}},
			segment.Event{Kind: segment.Clear, Points: [][2]float64{{100, 10}}},
			segment.Event{Kind: segment.Undo},
			segment.Event{Kind: segment.Redo},
		)
	}
	unaided := true
	edit := segment.ProjectEdit{Remap: map[uint8]uint8{3: 1}, Unaided: &unaided}
	for _, id := range []uint8{2, 1, 0} {
		edit.Classes = append(edit.Classes, segment.ClassEdit{Class: segment.Class{ID: id}})
	}
	if p, err = w.EditProject(tb.Context(), p.ID, edit); err != nil {
		tb.Fatal(err)
	}
	return p
}

func mustExport(tb testing.TB, w *workspace.Workspace, project, format string, o export.Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	if _, err := export.Write(tb.Context(), &b, w, project, format, o, nil); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// members are the files of a zip by name.
func members(tb testing.TB, content []byte) map[string]string {
	tb.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			tb.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
		files[f.Name] = string(b)
	}
	return files
}

func takeBackup(tb testing.TB, w *workspace.Workspace, content []byte) (segment.Project, error) {
	return importer.Backup(tb.Context(), w, bytes.NewReader(content), int64(len(content)), archive.Limits{})
}

// A restored project exports the same bytes as the original, and work on it can go
// on.
func TestBackup(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	first, err := there.ImagesAfter(t.Context(), p.ID, "", 1e6)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := there.SetReview(t.Context(), p.ID, []string{first[0].ID}, nil, segment.Review{Status: segment.Rejected, Comment: "the bird\nis missing"}); err != nil {
		t.Fatal(err)
	}
	first, err = there.ImagesAfter(t.Context(), p.ID, "", 1e6)
	if err != nil {
		t.Fatal(err)
	}
	content := mustExport(t, there, p.ID, "backup", export.Options{})

	here := workspacetest.MustOpen(t)
	q, err := takeBackup(t, here, content)
	if err != nil {
		t.Fatal(err)
	}
	if full := reflect.ValueOf(p); q.ID == p.ID {
		t.Errorf("project %+v", q)
	} else {
		for i := range full.NumField() {
			if full.Field(i).IsZero() {
				t.Errorf("the test does not use the field %s of projects: does a backup keep it?", full.Type().Field(i).Name)
			}
		}
	}
	if d := cmp.Diff(p, q, cmpopts.IgnoreFields(p, "ID", "Created")); d != "" {
		t.Error(d)
	}
	for _, format := range []string{"index-png", "colour-png", "coco", "numpy"} {
		want, got := members(t, mustExport(t, there, p.ID, format, export.Options{})), members(t, mustExport(t, here, q.ID, format, export.Options{}))
		delete(want, "manifest.json") // names the ids
		delete(got, "manifest.json")
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
	want, got := members(t, content), members(t, mustExport(t, here, q.ID, "backup", export.Options{}))
	for name := range want {
		if path.Dir(name) != "." && want[name] != got[name] {
			t.Errorf("%s is not what it was", name)
		}
	}
	images, err := here.ImagesAfter(t.Context(), q.ID, "", 1e6)
	if err != nil || len(images) != 2 || images[0].Seq != 9 || images[0].Decided == 0 {
		t.Fatalf("images %+v, %v", images, err)
	}
	if d := cmp.Diff([]segment.Review{first[0].Review, {}}, []segment.Review{images[0].Review, images[1].Review}); d != "" || first[0].Review.Seq != 9 {
		t.Errorf("reviews (-before +after): %s", d)
	}
	mustAppend(t, mustOpenFirst(t, here, q.ID), segment.Event{Kind: segment.Undo}, segment.Event{Kind: segment.Label, Class: 2, Points: [][2]float64{{1, 1}}})
}

// A long history comes back as it was. It takes few commits, since each waits for the disk.
func TestLongBackup(t *testing.T) {
	there := workspacetest.MustOpen(t)
	p := worked(t, there)
	a := mustOpenFirst(t, there, p.ID)
	for i := range 250 {
		mustAppend(t, a, segment.Event{Kind: segment.Label, Class: i % 2, Superpixels: []int32{int32(i % 7)}})
	}
	content := mustExport(t, there, p.ID, "backup", export.Options{})
	counted := &appends{}
	here := workspacetest.MustOpenOver(t, t.TempDir(), func(s segment.Store) segment.Store { counted.Store = s; return counted })
	q, err := takeBackup(t, here, content)
	if err != nil {
		t.Fatal(err)
	}
	want, got := members(t, content), members(t, mustExport(t, here, q.ID, "backup", export.Options{}))
	for name := range want {
		if path.Dir(name) != "." && want[name] != got[name] {
			t.Errorf("%s is not what it was", name)
		}
	}
	if counted.n > 5 {
		t.Errorf("%d commits of events", counted.n)
	}
}

// appends counts calls of Append.
type appends struct {
	segment.Store
	n int
}

func (a *appends) Append(ctx context.Context, imageID string, expected int, e segment.Event, p segment.Progress, more ...segment.Event) error {
	a.n++
	return a.Store.Append(ctx, imageID, expected, e, p, more...)
}

// An inconsistent backup leaves no project behind.
func TestDamagedBackups(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p := worked(t, w)
	whole := members(t, mustExport(t, w, p.ID, "backup", export.Options{}))
	first := func(folder string) string {
		for name := range whole {
			if strings.HasPrefix(name, folder) {
				return name
			}
		}
		t.Fatalf("nothing in %s", folder)
		return ""
	}
	replace := func(name, old, with string) func(files map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files[name], old) {
				t.Fatalf("%s has no %q: %.300s", name, old, files[name])
			}
			files[name] = strings.Replace(files[name], old, with, 1)
		}
	}
	redate := func(name, field, to string) func(files map[string]string) {
		return func(files map[string]string) {
			files[name] = regexp.MustCompile(`"`+field+`":"[^"]*"`).ReplaceAllString(files[name], `"`+field+`":"`+to+`"`)
		}
	}
	log := first("evidence/")
	for name, c := range map[string]struct {
		damage func(files map[string]string)
		kind   segment.Kind
	}{
		"no document":         {func(f map[string]string) { delete(f, "backup.json") }, segment.Unsupported},
		"no JSON":             {replace("backup.json", "{", "["), segment.Unreadable},
		"newer":               {replace("backup.json", `"version":1`, `"version":2`), segment.Unsupported},
		"newer event":         {replace(log, `"kind":"label"`, `"kind":"hologram"`), segment.Unsupported},
		"missing evidence":    {func(f map[string]string) { delete(f, log) }, segment.Unreadable},
		"shorter evidence":    {func(f map[string]string) { f[log] = f[log][:strings.Index(f[log], "\n")+1] }, segment.Unreadable},
		"half an event":       {func(f map[string]string) { f[log] = f[log][:len(f[log])-9] }, segment.Unreadable},
		"unknown superpixel":  {replace(log, `"superpixels":[`, `"superpixels":[99999999,`), segment.Unreadable},
		"negative superpixel": {replace(log, `"superpixels":[`, `"superpixels":[-1,`), segment.Unreadable},
		"pixel outside":       {replace(log, `"runs":[130,`, `"runs":[130000,`), segment.Unreadable},
		"long pick":           {replace(log, `"labels":"`, `"labels":"AAAA`), segment.Unreadable},
		"other labelling":     {replace("backup.json", `"labelling_sha256":"`, `"labelling_sha256":"00`), segment.Unreadable},
		"broken map":          {replace(first("maps/"), "CSP", "CCC"), segment.Unreadable},
		"rest of no class":    {replace("backup.json", `"rest":"1"`, `"rest":"77"`), segment.Unreadable},
		"rest of no kind":     {replace("backup.json", `"rest":"1"`, `"rest":{}`), segment.Unreadable},
		"class twice":         {replace("backup.json", `"id":2,`, `"id":1,`), segment.Unreadable},
		"no picture":          {func(f map[string]string) { f[first("originals/")] = "<svg/>" }, segment.Unsupported},
		"other areas": {func(f map[string]string) {
			name := strings.Replace(strings.Replace(log, "evidence/", "maps/", 1), ".jsonl", ".graph", 1)
			var graph superpixels.Graph
			if err := graph.UnmarshalBinary([]byte(f[name])); err != nil {
				t.Fatal(err)
			}
			for i := range graph.Regions {
				graph.Regions[i].Area = 1 << 26
			}
			b, err := graph.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			f[name] = string(b)
		}, segment.Unreadable},
		"a run before":   {replace(log, `"runs":[130,`, `"runs":[-5,`), segment.Unreadable},
		"half a run":     {replace(log, `"runs":[130,`, `"runs":[5,130,`), segment.Unreadable},
		"a date before":  {redate("backup.json", "created", "0000-01-01T00:00:00+23:00"), segment.Unreadable},
		"an event after": {redate(log, "created", "9999-12-31T23:59:59-23:00"), segment.Unreadable},
		"a class after":  {redate("backup.json", "deleted", "9999-12-30T00:00:00Z"), segment.Unreadable},
		"a path out":     {replace("backup.json", first("originals/"), "../../etc/passwd"), segment.Unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(whole)
			c.damage(files)
			if q, err := takeBackup(t, w, zipped(t, files)); segment.KindOf(err) != c.kind {
				t.Errorf("project %q, error %v of kind %d, want kind %d", q.Name, err, segment.KindOf(err), c.kind)
			}
			if projects, err := w.Projects(t.Context()); err != nil || len(projects) != 1 {
				t.Errorf("projects %v, %v", projects, err)
			}
		})
	}
}
