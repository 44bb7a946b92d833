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
				must(b, s.CreateImage(b.Context(), images[i]))
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wait sync.WaitGroup
			for _, im := range images {
				wait.Go(func() {
					for seq := 0; left.Add(-1) >= 0; seq++ {
						if err := s.Append(b.Context(), im.ID, seq, label(fmt.Sprint(seq), int32(seq)), segment.Progress{Clicks: seq}); err != nil {
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
