package importer_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/annotation"
	"collie/segment/archive"
	"collie/segment/export"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
	"collie/storage/workspacetest"
)

// npyHeader is what comes before the values of a .npy array.
func npyHeader(descr, shape string) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header...)
}

// grid is a .npz of embeddings of two dimensions, without them if at is nil.
func grid(t *testing.T, height, width int, at func(y, x, d int) float32) []byte {
	t.Helper()
	var b bytes.Buffer
	b.Write(npyHeader("<f4", fmt.Sprintf("(%d, %d, 2)", height, width)))
	if at == nil {
		height = 0
	}
	for y := range height {
		for x := range width {
			for d := range 2 {
				_ = binary.Write(&b, binary.LittleEndian, at(y, x, d))
			}
		}
	}
	return zipped(t, map[string][]byte{"embeddings.npy": b.Bytes()})
}

// zipped is a zip archive of files by name.
func zipped[T string | []byte](t *testing.T, files map[string]T) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Each image gets the embeddings of its name as one event, which leaves it
// untouched; what can't be used is reported and stores nothing, and neither does a
// review.
func TestEmbeddingsBecomeEvents(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Embedded", segment.DefaultClasses(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, name := range []string{"good", "constant", "fine", "vast", "turned"} {
		im, err := w.AddImage(t.Context(), p.ID, name+".png", bytes.NewReader(scene()))
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = im.ID
	}
	slope := func(y, x, d int) float32 { return float32(x) - 3.5*float32(d) + float32(y*d) }
	content := zipped(t, map[string][]byte{
		"good.npz":     grid(t, 5, 8, slope),
		"constant.npz": grid(t, 5, 8, func(int, int, int) float32 { return 3 }),
		"fine.npz":     grid(t, 5, 121, slope),
		"vast.npz":     grid(t, 9000, 9000, nil), // over the limit of values, too
		"turned.npz":   grid(t, 90, 5, slope),    // dimensions first
		"nobody.npz":   grid(t, 5, 8, slope),
	})
	files, err := dataset.FromFile("embeddings.zip", bytes.NewReader(content), int64(len(content)), archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, review := range []bool{true, false} {
		run := func() (importer.Report, error) {
			return importer.Import(t.Context(), w, p.ID, files, dataset.Options{}, nil)
		}
		if review {
			run = func() (importer.Report, error) {
				return importer.Review(t.Context(), w, p.ID, files, dataset.Options{})
			}
		}
		report, err := run()
		if err != nil || len(report.Images) != 6 {
			t.Fatalf("%+v, %v", report, err)
		}
		says := map[string]string{"good": "", "constant": "same at every place", "fine": "its grid of 121×5 embeddings is finer than the image of 120×80 pixels", "vast": "its grid of 9000×9000 embeddings is finer", "turned": "of up to that size; an array of dimensions × height × width must be called embeddings_chw", "nobody": "No image in the project has this name"}
		for _, r := range report.Images {
			name := strings.TrimSuffix(r.Mask, ".npz")
			if says[name] == "" && (r.Problem != "" || r.Embedded != "8×5 embeddings of 2 numbers") || !strings.Contains(r.Problem, says[name]) {
				t.Errorf("review %v: %+v", review, r)
			}
		}
		for name, id := range ids {
			im, err := w.Image(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			if name == "good" && !review {
				want = 1
			}
			if im.Seq != want || im.Status() != "untouched" {
				t.Errorf("review %v: %s is %s with %d events", review, name, im.Status(), im.Seq)
			}
		}
	}
}

// A backup restores embeddings with their weight: the hypotheses are the same.
func TestBackupKeepsEmbeddings(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, err := w.CreateProject(t.Context(), "Embedded", segment.DefaultClasses(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddImage(t.Context(), p.ID, "scene.png", bytes.NewReader(scene())); err != nil {
		t.Fatal(err)
	}
	a := mustOpenFirst(t, w, p.ID)
	e := &segment.Embedding{Dims: 1, Scale: 0.01, Borders: segment.Likelihood{Bias: 1, Slope: -4}, Pairs: segment.Likelihood{Bias: 1. / 3, Slope: -3}, Learnt: 7}
	for cell := range a.Cells().N {
		e.Values = append(e.Values, uint8(90+7*cell%80))
	}
	click := func(class int, x float64) segment.Event {
		return segment.Event{Kind: segment.Click, Class: class, Points: [][2]float64{{x, 20}}}
	}
	mustAppend(t, a, segment.Event{Kind: segment.Embed, Embedding: e}, click(0, 10), click(1, 100))
	digests := func(a *annotation.Annotation) (out []string) {
		for rank := range 4 {
			h, err := a.Sequence().At(t.Context(), rank)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, h.Digest.String())
		}
		return out
	}
	content := mustExport(t, w, p.ID, "backup", export.Options{})
	restored, err := importer.Backup(t.Context(), w, bytes.NewReader(content), int64(len(content)), archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b := mustOpenFirst(t, w, restored.ID)
	if diff := cmp.Diff(digests(a), digests(b)); diff != "" {
		t.Errorf("hypotheses (-before +after):\n%s", diff)
	}
	mustAppend(t, b, segment.Event{Kind: segment.Embed})
	if cmp.Equal(digests(a), digests(b)) {
		t.Error("the embedding makes no difference, so nothing was compared")
	}
}
