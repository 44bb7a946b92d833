package stats_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"collie/cmd/internal/stats"
)

func TestBootstrap(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	mean := func(sample []int) float64 {
		sum := 0.0
		for _, i := range sample {
			sum += values[i] / float64(len(sample))
		}
		return sum
	}
	// The mean of ten has a standard error of 2.87/√10 = 0.91.
	got := stats.Bootstrap(len(values), mean)
	if diff := cmp.Diff(stats.Interval{Mean: 5.5, Low: 5.5 - 1.96*0.91, High: 5.5 + 1.96*0.91}, got, cmpopts.EquateApprox(0, 0.25)); diff != "" {
		t.Errorf("interval of a mean (-want +got):\n%s", diff)
	}
}

func TestMedian(t *testing.T) {
	for want, of := range map[float64][]int{3: {9, 1, 3}, 2.5: {4, 1, 9, 1}} {
		if got := stats.Median(of); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
