package workspace_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/workspace"
	"collie/storage/blob"
)

// TestExamine damages an image in every way and checks that it is found and
// whether it can be mended.
func TestExamine(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(p pile, im *segment.Image) error
		want   string // in what is found; empty: nothing is
		mends  bool
	}{
		"nothing":      {func(pile, *segment.Image) error { return nil }, "", false},
		"no display":   {remove((*segment.Image).DisplayKey), "the picture for display", true},
		"no thumbnail": {remove((*segment.Image).ThumbnailKey), "the thumbnail", true},
		"bad display":  {replace((*segment.Image).DisplayKey, "no picture"), "the picture for display", true},
		"no original":  {remove((*segment.Image).OriginalKey), "the original", false},
		"bad original": {replace((*segment.Image).OriginalKey, "\xff\xd8\xff"), "the original", false},
		"no graph":     {remove((*segment.Image).GraphKey), "can't be opened", false},
		"bad map":      {replace((*segment.Image).HierarchyKey, "no map"), "can't be opened", false},
		"other size":   {func(_ pile, im *segment.Image) error { im.Width++; return nil }, "its record says 121×80", false},
		"short log":    {func(_ pile, im *segment.Image) error { im.Seq++; return nil }, "shorter than the record", false},
		"bad event": {func(p pile, im *segment.Image) error {
			e := segment.Event{ID: "bad", Kind: segment.Label, Superpixels: []int32{1 << 30}}
			return p.store.Append(t.Context(), im.ID, im.Seq, e, segment.Progress{})
		}, "the evidence is damaged", false},
		"in the trash": {func(p pile, im *segment.Image) error { return p.TrashImage(owner(t), im.ID) }, "", false},
		"in the trash, no map": {func(p pile, im *segment.Image) error {
			return errors.Join(p.TrashImage(owner(t), im.ID), remove((*segment.Image).HierarchyKey)(p, im))
		}, "can't be opened", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
			im := mustAnnotate(t, p.Workspace).Image()
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
			if i < 0 || (found[i].Repair != nil) != c.mends {
				t.Fatalf("found %+v, want %q", found, c.want)
			}
			if !c.mends {
				return
			}
			if err := found[i].Repair(owner(t)); err != nil {
				t.Error(err)
			}
			if found := examine(); len(found) > 0 {
				t.Errorf("after mending: %+v", found)
			}
		})
	}
}

// Evidence that can't be played is an error for whoever opens the image, and
// nobody waits for those who came before.
func TestDamagedEvidence(t *testing.T) {
	p := mustOpenPile(t, func(b *blob.Store) segment.Blobs { return b })
	im := mustAnnotate(t, p.Workspace).Image()
	e := segment.Event{ID: "bad", Kind: segment.Label, Superpixels: []int32{1 << 30}}
	if err := p.store.Append(t.Context(), im.ID, im.Seq, e, segment.Progress{}); err != nil {
		t.Fatal(err)
	}
	w := workspace.New(p.store, p.blobs, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 2 {
		if _, err := w.Open(ctx, im.ID); err == nil || !strings.Contains(err.Error(), "the evidence is damaged") {
			t.Errorf("an image with damaged evidence is opened: %v", err)
		}
	}
}

func owner(tb testing.TB) context.Context { return access.With(tb.Context(), access.Owner) }

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
