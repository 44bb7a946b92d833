//go:build unix

package export_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/sharedtest"
	"collie/storage/blob"
	"collie/storage/sqlite"
)

// models is how many photographs a benchmark's project is made of; the others
// are copies of them.
const models = 20

// manyImages is a project of n images of PASCAL VOC with finished labellings.
func manyImages(b *testing.B, n int) (*workspace.Workspace, string) {
	b.Helper()
	photographs, err := filepath.Glob(filepath.Join(sharedtest.Path(b, "data/voc/images"), "*.jpg"))
	if err != nil || len(photographs) < models {
		b.Fatalf("%d photographs, %v", len(photographs), err)
	}
	dir := b.TempDir()
	store, err := sqlite.Open(b.Context(), filepath.Join(dir, "collie.db"))
	if err != nil {
		b.Fatal(err)
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(store.Close(), blobs.Close()); err != nil {
			b.Error(err)
		}
	})
	w := workspace.New(store, blobs, photo.NewGate(photo.Limits{}))
	var classes []segment.Class
	for i := range 21 {
		classes = append(classes, segment.Class{Name: fmt.Sprintf("class %d", i)})
	}
	p, err := w.CreateProject(b.Context(), "Many", classes, nil)
	if err != nil {
		b.Fatal(err)
	}
	var made []segment.Image
	for _, name := range photographs[:models] {
		content, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		id := filepath.Base(name[:len(name)-len(".jpg")])
		made = append(made, add(b, w, p.ID, id+".jpg", content, clicksOf(b, filepath.Join(filepath.Dir(name), "..", "masks", id+".png"))...))
	}
	for i := len(made); i < n; i++ {
		copyImage(b, w, store, blobs, made[i%models].ID, i)
	}
	return w, p.ID
}

// clicksOf samples a mask at a grid of points.
func clicksOf(b *testing.B, mask string) []at {
	b.Helper()
	f, err := os.Open(mask)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		b.Fatal(err)
	}
	var clicks []at
	for y := 20; y < img.Bounds().Dy(); y += 60 {
		for x := 20; x < img.Bounds().Dx(); x += 60 {
			if class := img.(*image.Paletted).ColorIndexAt(x, y); class != segment.Void {
				clicks = append(clicks, at{int(class), float64(x), float64(y)})
			}
		}
	}
	return clicks
}

// copyImage stores a copy of an image, with its files and its evidence.
func copyImage(b *testing.B, w *workspace.Workspace, store *sqlite.Store, blobs *blob.Store, id string, number int) {
	b.Helper()
	ctx := b.Context()
	from, err := w.Image(ctx, id)
	if err != nil {
		b.Fatal(err)
	}
	to := from
	to.ID, to.Name, to.Seq, to.Progress = segment.NewID(), fmt.Sprintf("%d-%s", number, from.Name), 0, segment.Progress{}
	for _, key := range []func(*segment.Image) string{(*segment.Image).OriginalKey, (*segment.Image).HierarchyKey, (*segment.Image).GraphKey} {
		in, err := blobs.Open(ctx, key(&from))
		if err != nil {
			b.Fatal(err)
		}
		err = blobs.Put(ctx, key(&to), func(out io.Writer) error {
			_, err := io.Copy(out, in)
			return err
		})
		if err := errors.Join(err, in.Close()); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.CreateImage(ctx, to, 0); err != nil {
		b.Fatal(err)
	}
	events, err := store.Events(ctx, from.ID, 0)
	if err != nil {
		b.Fatal(err)
	}
	for i, e := range events {
		if err := store.Append(ctx, to.ID, i, e, from.Progress); err != nil {
			b.Fatal(err)
		}
	}
}

// peakHeap samples the live heap until stop is called, which returns its maximum.
func peakHeap() (stop func() uint64) {
	ctx, cancel := context.WithCancel(context.Background())
	var peak uint64
	var done sync.WaitGroup
	done.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for ctx.Err() == nil {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			time.Sleep(2 * time.Millisecond)
		}
	})
	return func() uint64 {
		cancel()
		done.Wait()
		return peak
	}
}

// processor is the program's processor time, the meaningful figure on a machine
// that others use, too.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A project of 1,000 labelled images takes at most 20 seconds on two cores, and
// no more memory than one of 100.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{100, 1000} {
		w, project := manyImages(b, n)
		for _, format := range []string{"voc", "coco"} {
			b.Run(fmt.Sprintf("%s/images=%d", format, n), func(b *testing.B) {
				for b.Loop() {
					stop, before := peakHeap(), processor(b)
					report, err := export.Write(b.Context(), io.Discard, w, project, format, export.Options{}, nil)
					peak := stop()
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric((processor(b) - before).Seconds(), "cpu-s")
					b.ReportMetric(float64(peak)/(1<<20), "MiB-peak-heap")
					b.ReportMetric(float64(report.RegionsIn)/float64(n), "regions/image")
				}
			})
		}
	}
}
