package learner_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/learner"
	"collie/segment/photo"
	"collie/segment/photo/phototest"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/workspacetest"
)

var (
	mustOpen   = workspacetest.MustOpenImage
	mustAppend = workspacetest.MustAppend
)

// school is a project of pictures of sky above grass.
type school struct {
	*workspace.Workspace
	store   segment.Store
	blobs   *blob.Store
	project segment.Project
	images  []segment.Image
	stop    func()
}

const schoolWidth, schoolHeight = 160, 120

// horizon of the i-th picture.
func horizon(i int) int { return 40 + i*7%40 }

func landscape(t testing.TB, i int) io.Reader {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	img := image.NewNRGBA(image.Rect(0, 0, schoolWidth, schoolHeight))
	for y := range schoolHeight {
		for x := range schoolWidth {
			n := uint8(rng.IntN(20))
			c := color.NRGBA{110 + n, 150 + n, 210 + n, 255}
			if y >= horizon(i) {
				c = color.NRGBA{50 + n, 120 + n, 40 + n, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return bytes.NewReader(phototest.MustPNG(t, img))
}

func newSchool(t *testing.T, images int, wrap func(*blob.Store) segment.Blobs) *school {
	t.Helper()
	f := workspacetest.MustOpenFolder(t, t.TempDir())
	s := &school{Workspace: workspace.New(f.Store, wrap(f.Blobs), photo.NewGate(photo.Limits{})), store: f.Store, blobs: f.Blobs}
	s.stop = s.Learner().Start(t.Context())
	t.Cleanup(func() { s.stop() })
	var err error
	if s.project, err = s.CreateProject(t.Context(), "Landscapes", []segment.Class{{Name: "sky"}, {Name: "grass"}, {Name: "tree"}}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range images {
		im, err := s.AddImage(t.Context(), s.project.ID, fmt.Sprintf("%d.png", i), landscape(t, i))
		if err != nil {
			t.Fatal(err)
		}
		s.images = append(s.images, im.Image)
	}
	return s
}

func asStored(b *blob.Store) segment.Blobs { return b }

// finish labels all of some images.
func (s *school) finish(t *testing.T, from, to int, sky, grass uint8) {
	t.Helper()
	for i := from; i < to; i++ {
		a := mustOpen(t, s.Workspace, s.images[i].ID)
		pixels := slices.Repeat([]uint8{sky}, schoolWidth*schoolHeight)
		for p := horizon(i) * schoolWidth; p < len(pixels); p++ {
			pixels[p] = grass
		}
		if _, err := a.ImportMask(t.Context(), segment.NewID(), pixels, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// until waits until ok accepts the project's state.
func (s *school) until(t *testing.T, what string, ok func(learner.Learning) bool) learner.Learning {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		l, err := s.Learner().Learning(t.Context(), s.project.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Training && !l.Prelabelled.Running && ok(l) {
			return l
		}
	}
	t.Fatalf("no %s within two minutes", what)
	panic("not reached")
}

func (s *school) model(t *testing.T, number int) learner.Learning {
	t.Helper()
	return s.until(t, fmt.Sprintf("model %d", number), func(l learner.Learning) bool { return l.Model >= number })
}

func (s *school) guess(t *testing.T, i int) bool {
	t.Helper()
	guessed, err := s.Learner().Guess(t.Context(), s.images[i].ID)
	if err != nil {
		t.Fatal(err)
	}
	return guessed
}

// right is the share of the picture in which the first hypothesis is right.
func (s *school) right(t *testing.T, i int, sky, grass uint8) float64 {
	t.Helper()
	a := mustOpen(t, s.Workspace, s.images[i].ID)
	state, sequence := a.Present()
	if sequence.Len() == 0 {
		return 0
	}
	h, err := sequence.At(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	cells := a.Cells().Spread(state.Cells(h.Labels))
	n := 0
	for p, l := range cells {
		want := sky
		if p/schoolWidth >= horizon(i) {
			want = grass
		}
		if l == want {
			n++
		}
	}
	return float64(n) / float64(len(cells))
}

func (s *school) status(t *testing.T, i int) string {
	t.Helper()
	im, err := s.Image(t.Context(), s.images[i].ID)
	if err != nil {
		t.Fatal(err)
	}
	return im.Status()
}
