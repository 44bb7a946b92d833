package photo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/sharedtest"
)

// wanted says which outcomes are allowed for a corpus file, by its folder. Files
// whose header states a size over the limits are TooLarge wherever they are.
var wanted = map[string][]Reason{
	"ok":            {0},
	"bounds-differ": {0},          // GIF: a frame that covers a part of the canvas
	"empty-bounds":  {Unreadable}, // GIF: a frame without pixels
	"over-50MP":     {TooLarge},
	"zero-dim":      {Unreadable},
	"header-error":  {Unreadable, Unsupported}, // Unsupported: the magic is broken, or a rare kind
	"decode-error":  {Unreadable, Unsupported},
}

// read are files that are read although Go's decoders refuse them.
var read = []string{"pillow__Tests__images__16bit.s.tif"} // numbers with a sign

// overLimits reports whether a file's header states a size that a gate with the
// default limits must refuse.
func overLimits(file []byte) bool {
	f, err := recognize(file[:min(len(file), headSize)])
	if err != nil {
		return false
	}
	width, height := int64(0), int64(0)
	if c, err := f.config(bytes.NewReader(file)); err == nil {
		width, height = int64(c.Width), int64(c.Height)
	} else if f.stated != nil {
		width, height = f.stated(file)
	}
	return width != 0 && height != 0 && (max(width, height) > 16384 || width*height > 40e6)
}

func TestCorpus(t *testing.T) {
	dir := sharedtest.Path(t, "corpus/images")
	gate := NewGate(Limits{})
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		t.Run(strings.TrimPrefix(path, dir+"/"), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := wanted[filepath.Base(filepath.Dir(path))]
			if slices.Contains(read, d.Name()) {
				want = []Reason{0}
			}
			if overLimits(b) {
				want = []Reason{TooLarge}
			}
			if reason := readOne(t, gate, b); !slices.Contains(want, reason) {
				t.Errorf("reason %d, want one of %v", reason, want)
			}
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, error %v", files, err)
	}
}

// TestBombs sends all bombs from 16 senders at once and watches the memory.
func TestBombs(t *testing.T) {
	dir := sharedtest.Path(t, "corpus")
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	gate := NewGate(Limits{})
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for line := range strings.Lines(string(manifest)) {
				fields := strings.Split(strings.TrimSpace(line), "\t")
				name, outcome := fields[0], fields[5]
				if outcome == "outcome" {
					continue
				}
				file, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Error(err)
					return
				}
				want := []Reason{Unsupported}
				if outcome != "not-image" {
					want = wanted[outcome]
				}
				if overLimits(file) {
					want = []Reason{TooLarge}
				}
				p, err := gate.Read(t.Context(), bytes.NewReader(file), nil)
				if err == nil {
					p.Close()
				}
				if got := reasonOf(err); !slices.Contains(want, got) || got == 0 && err != nil {
					t.Errorf("%s: %v, want one of %v", name, err, want)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { senders.Wait(); close(done) }()
	peak := uint64(0)
	for {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}}
		metrics.Read(sample)
		peak = max(peak, sample[0].Value.Uint64())
		select {
		case <-done:
			t.Logf("peak of the heap %d MiB, from the system %d MiB", peak>>20, sample[1].Value.Uint64()>>20)
			if peak > 1<<30 {
				t.Errorf("the heap reached %d MiB, want at most 1024", peak>>20)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// readOne reads a file, checks what must hold of every photo, and returns the
// reason of its refusal or 0.
func readOne(t *testing.T, gate *Gate, file []byte) Reason {
	t.Helper()
	p, err := gate.Read(t.Context(), bytes.NewReader(file), nil)
	var refusal *Error
	if errors.As(err, &refusal) {
		t.Log(err)
		return refusal.Reason
	}
	if err != nil {
		t.Fatalf("error %v is not a refusal", err)
	}
	defer p.Close()
	if !bytes.Equal(p.Original, file) {
		t.Error("the original differs from the file")
	}
	r := p.Pixels.Rect
	if r.Min.X != 0 || r.Min.Y != 0 || r.Empty() || len(p.Pixels.Pix) != 4*r.Dx()*r.Dy() {
		t.Errorf("pixels %v in %d bytes", r, len(p.Pixels.Pix))
	}
	for i := 3; i < len(p.Pixels.Pix); i += 4 {
		if p.Pixels.Pix[i] != 0xff {
			t.Fatalf("pixel %d has alpha %d", i/4, p.Pixels.Pix[i])
		}
	}
	return 0
}
