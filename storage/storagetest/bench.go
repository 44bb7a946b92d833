package storagetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"collie/segment"
)

// BenchmarkAppend measures acknowledged events per second for one client and
// for 64, each with an image of its own.
func BenchmarkAppend(b *testing.B, open func(tb testing.TB, place string) Store) {
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s := open(b, b.TempDir())
			defer closeStore(b, s)
			p := newProject("p")
			must(b, s.CreateProject(b.Context(), p))
			images := make([]segment.Image, clients)
			for i := range images {
				images[i] = newImage(p.ID, fmt.Sprint(i))
				must(b, s.CreateImage(b.Context(), images[i], 0))
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wait sync.WaitGroup
			for _, im := range images {
				wait.Go(func() {
					for seq := 0; left.Add(-1) >= 0; seq++ {
						e := label(fmt.Sprint(seq), int32(seq))
						if seq > 0 {
							e.After = fmt.Sprint(seq - 1)
						}
						if err := s.Append(b.Context(), im.ID, seq, e, segment.Progress{Clicks: seq}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acks/s")
		})
	}
}

// BenchmarkProject measures what pages ask of a project of many images: a part of its list, one
// of its images, its size and the list of projects. Fill makes the images, in bulk.
func BenchmarkProject(b *testing.B, open func(tb testing.TB, place string) Store, fill func(b *testing.B, s Store, project string, images int)) {
	images := Rounds(10_000, 1_000_000)
	s := open(b, b.TempDir())
	defer closeStore(b, s)
	p := newProject("p")
	must(b, s.CreateProject(b.Context(), p))
	first := newImage(p.ID, "first")
	must(b, s.CreateImage(b.Context(), first, 0))
	fill(b, s, p.ID, images)
	middle := newImage(p.ID, "middle")
	must(b, s.CreateImage(b.Context(), middle, 0))
	for name, do := range map[string]func() error{
		"part": func() error {
			list, err := s.ImagesAfter(b.Context(), p.ID, first.ID, 1000)
			if err == nil && len(list) != 1000 {
				err = fmt.Errorf("%d images", len(list))
			}
			return err
		},
		"image":    func() error { _, err := s.Image(b.Context(), middle.ID); return err },
		"count":    func() error { _, err := s.CountImages(b.Context(), p.ID); return err },
		"place":    func() error { _, err := s.Place(b.Context(), middle.ID); return err },
		"projects": func() error { _, err := s.Overviews(b.Context(), "ann"); return err },
	} {
		b.Run(fmt.Sprintf("%s/images=%d", name, images), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(b, do())
			}
		})
	}
}
