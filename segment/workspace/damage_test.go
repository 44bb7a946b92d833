package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/blob"
	"collie/storage/workspacetest"
)

// An image whose files can't be read at the moment, because the bucket is away or the
// disk is full through which they pass, is not damaged, and its superpixels stay.
func TestExamineAway(t *testing.T) {
	t.Parallel()
	for _, kind := range []segment.Kind{segment.Unavailable, segment.Full} {
		examineAway(t, &away{err: segment.Errorf(kind, "The bucket is away.")})
	}
}

func examineAway(t *testing.T, bucket *away) {
	t.Helper()
	want := segment.KindOf(bucket.err)
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs {
		bucket.Blobs = b
		return bucket
	})
	im := workspacetest.MustAnnotate(t, p.Workspace).Image()
	for _, bucket.kind = range []string{"original/", "thumbnail/", "graph/"} {
		if found, err := p.Examine(owner(t), im); segment.KindOf(err) != want {
			t.Errorf("%s can't be read: found %+v, %v", bucket.kind, found, err)
		}
	}
	w := workspace.New(p.store, bucket, photo.NewGate(photo.Limits{})) // has nothing open
	bucket.kind = "graph/"
	if _, err := w.Open(owner(t), im.ID); segment.KindOf(err) != want || bucket.removed > 0 {
		t.Errorf("opening an image whose superpixels can't be read: %v, %d files removed", err, bucket.removed)
	}
}

// away is a store some of whose files can't be read at the moment.
type away struct {
	segment.Blobs
	kind    string // how their keys begin
	err     error
	removed int // files
}

func (a *away) Remove(ctx context.Context, key string) error {
	a.removed++
	return a.Blobs.Remove(ctx, key)
}

func (a *away) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if a.kind != "" && strings.HasPrefix(key, a.kind) {
		return nil, a.err
	}
	return a.Blobs.Open(ctx, key)
}

// TestExamine damages an image in every way and checks that it is found and
// whether it can be repaired.
func TestExamine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(p pile, im *segment.Image) error
		want   string // in what is found; empty: nothing is
		fixes  bool
	}{
		"nothing":      {func(pile, *segment.Image) error { return nil }, "", false},
		"no display":   {remove((*segment.Image).DisplayKey), "the picture for display", true},
		"no thumbnail": {remove((*segment.Image).ThumbnailKey), "the thumbnail", true},
		"bad display":  {replace((*segment.Image).DisplayKey, "no picture"), "the picture for display", true},
		"no original":  {remove((*segment.Image).OriginalKey), "the original", false},
		"bad original": {replace((*segment.Image).OriginalKey, "\xff\xd8\xff"), "the original", false},
		"no graph":     {remove((*segment.Image).GraphKey), "the superpixels can't be used", true},
		"bad map":      {replace((*segment.Image).HierarchyKey, "no map"), "the superpixels can't be used", true},
		"other size":   {func(_ pile, im *segment.Image) error { im.Width++; return nil }, "its record says 121×80", false},
		"short log":    {func(_ pile, im *segment.Image) error { im.Seq++; return nil }, "shorter than the record", false},
		"bad event": {func(p pile, im *segment.Image) error {
			e := segment.Event{ID: "bad", Kind: segment.Label, Superpixels: []int32{1 << 30}}
			return p.store.Append(t.Context(), im.ID, im.Seq, e, segment.Progress{})
		}, "the evidence is damaged", false},
		"in the trash": {func(p pile, im *segment.Image) error { return p.TrashImage(owner(t), im.ID) }, "", false},
		"in the trash, no map": {func(p pile, im *segment.Image) error {
			return errors.Join(p.TrashImage(owner(t), im.ID), remove((*segment.Image).HierarchyKey)(p, im))
		}, "the superpixels can't be used", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
			im := workspacetest.MustAnnotate(t, p.Workspace).Image()
			if err := c.damage(p, &im); err != nil {
				t.Fatal(err)
			}
			examine := func() []workspace.Damage {
				found, err := p.Examine(owner(t), im)
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			found := examine()
			if c.want == "" {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			i := slices.IndexFunc(found, func(d workspace.Damage) bool { return strings.Contains(d.What+d.Err.Error(), c.want) })
			if i < 0 || (found[i].Repair != nil) != c.fixes {
				t.Fatalf("found %+v, want %q", found, c.want)
			}
			if !c.fixes {
				return
			}
			if err := found[i].Repair(owner(t)); err != nil {
				t.Error(err)
			}
			if found := examine(); len(found) > 0 {
				t.Errorf("after repairing: %+v", found)
			}
		})
	}
}

// Damage is found in the same order each time.
func TestExamineInOrder(t *testing.T) {
	t.Parallel()
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	im := workspacetest.MustAnnotate(t, p.Workspace).Image()
	if err := errors.Join(remove((*segment.Image).DisplayKey)(p, &im), remove((*segment.Image).ThumbnailKey)(p, &im)); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		found, err := p.Examine(owner(t), im)
		if err != nil || len(found) != 2 || !strings.Contains(found[0].What, "display") {
			t.Fatalf("found %+v, %v", found, err)
		}
	}
}

// A flipped bit anywhere in an image's files is found. Files that can be rebuilt
// are rebuilt bit by bit when they are requested; the others are named.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := workspacetest.MustOpenFolder(t, dir)
	p := pile{workspace.New(f.Store, f.Blobs, photo.NewGate(photo.Limits{})), f.Store, f.Blobs}
	ctx := owner(t)
	begun := workspacetest.MustAnnotate(t, p.Workspace)
	mask := make([]uint8, len(begun.Pixels()))
	for i := range mask {
		mask[i] = uint8(i / 3000 % 2)
	}
	if _, err := begun.ImportMask(ctx, "mask", mask, nil); err != nil {
		t.Fatal(err)
	}
	im, err := p.Image(ctx, begun.Image().ID)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	content := func(key string) []byte {
		blob, err := p.blobs.Open(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		defer blob.Close()
		b, err := io.ReadAll(blob)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := map[string][]byte{}
	for _, key := range im.Keys() {
		want[key] = content(key)
	}
	a, err := p.Open(ctx, im.ID)
	if err != nil {
		t.Fatal(err)
	}
	labelling := a.Pixels()
	a.Close()
	if !bytes.Equal(labelling, mask) {
		t.Fatal("the labelling is not the mask")
	}
	for _, key := range im.Keys() {
		name := filepath.Join(dir, "blobs", filepath.FromSlash(blob.SealedName(key)))
		for range 12 {
			whole, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			at := rng.IntN(8 * len(whole))
			flipped := bytes.Clone(whole)
			flipped[at/8] ^= 1 << (at % 8)
			if err := os.WriteFile(name, flipped, 0o600); err != nil {
				t.Fatal(err)
			}
			if found, err := p.Examine(ctx, im); err != nil || len(found) == 0 {
				t.Errorf("bit %d of %s: the doctor finds nothing, %v", at, key, err)
			}
			switch key {
			case im.OriginalKey():
				if _, err := p.Picture(ctx, im, key); segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), im.Name) {
					t.Errorf("bit %d of the original: %v", at, err)
				}
				if err := os.WriteFile(name, whole, 0o600); err != nil {
					t.Fatal(err)
				}
			case im.DisplayKey(), im.ThumbnailKey():
				file, err := p.Picture(ctx, im, key)
				if err != nil {
					t.Fatalf("bit %d of %s: %v", at, key, err)
				}
				file.Close()
			default:
				a, err := workspace.New(p.store, p.blobs, photo.NewGate(photo.Limits{})).Open(ctx, im.ID)
				if err != nil {
					t.Fatalf("bit %d of %s: %v", at, key, err)
				}
				if !bytes.Equal(a.Pixels(), labelling) {
					t.Errorf("bit %d of %s changes the labelling", at, key)
				}
				a.Close()
			}
			if !bytes.Equal(content(key), want[key]) {
				t.Errorf("%s is not what it was", key)
			}
		}
	}
	// Without both files it is unknown which superpixels the evidence refers to.
	for _, key := range []string{im.HierarchyKey(), im.GraphKey()} {
		if err := p.blobs.Remove(ctx, key); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := workspace.New(p.store, p.blobs, photo.NewGate(photo.Limits{})).Open(ctx, im.ID); segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), "superpixels") {
		t.Errorf("without superpixels: %v", err)
	}
}

// Evidence that can't be played is an error for everyone who opens the image, and
// nobody waits for earlier callers.
func TestDamagedEvidence(t *testing.T) {
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	im := workspacetest.MustAnnotate(t, p.Workspace).Image()
	e := segment.Event{ID: "bad", Kind: segment.Label, Superpixels: []int32{1 << 30}}
	if err := p.store.Append(t.Context(), im.ID, im.Seq, e, segment.Progress{}); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	w := workspace.New(p.store, p.blobs, nil, workspace.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for range 2 {
		if _, err := w.Open(ctx, im.ID); err == nil || !strings.Contains(err.Error(), "the evidence is damaged") {
			t.Errorf("an image with damaged evidence is opened: %v", err)
		}
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, im.ID) || !strings.Contains(got, "timeline.(*Timeline).Apply") {
		t.Errorf("the log doesn't have the panic once, with its stack: %s", got)
	}
}

// A lost or damaged original is named as such, whoever asks for it.
func TestLostOriginal(t *testing.T) {
	t.Parallel()
	for _, kind := range []segment.Kind{segment.NotFound, segment.Damaged} {
		bucket := &away{err: segment.Errorf(kind, "The file original/x is lost or damaged.")}
		p := mustOpenPile(t, func(b *blob.Store) segment.Blobs {
			bucket.Blobs = b
			return bucket
		})
		im := workspacetest.MustAnnotate(t, p.Workspace).Image()
		bucket.kind = "original/"
		_, levels := p.Levels(owner(t), im)
		_, file := p.Blob(owner(t), im, im.OriginalKey())
		for what, err := range map[string]error{"levels": levels, "display copy": p.Develop(owner(t), im, 0, 9, io.Discard), "file": file} {
			if segment.KindOf(err) != segment.Damaged || !strings.Contains(err.Error(), im.Name) {
				t.Errorf("%s of an original that is lost or damaged: %v", what, err)
			}
		}
	}
}

func owner(tb testing.TB) context.Context { return access.With(tb.Context(), access.Operator) }

func remove(key func(*segment.Image) string) func(pile, *segment.Image) error {
	return func(p pile, im *segment.Image) error { return p.blobs.Remove(context.Background(), key(im)) }
}

func replace(key func(*segment.Image) string, with string) func(pile, *segment.Image) error {
	return func(p pile, im *segment.Image) error {
		return errors.Join(remove(key)(p, im), p.blobs.Put(context.Background(), key(im), func(w io.Writer) error {
			_, err := io.WriteString(w, with)
			return err
		}))
	}
}
