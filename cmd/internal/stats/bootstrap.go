// Package stats summarises samples: their mean, their spread, and how sure a
// figure is.
package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a figure with the bounds that 95 % of its bootstrap resamples
// lie between.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (i Interval) String() string {
	return fmt.Sprintf("(%+.1f, %+.1f to %+.1f)", 100*i.Mean, 100*i.Low, 100*i.High)
}

// resamples of a bootstrap.
const resamples = 1000

// Bootstrap is a figure of n images and its interval over samples of as many
// images, drawn with replacement (Efron 1979, doi:10.1214/aos/1176344552). The
// samples depend on n alone, so figures of the same images are comparable.
func Bootstrap(n int, figure func(sample []int) float64) Interval {
	sample := make([]int, n)
	for i := range sample {
		sample[i] = i
	}
	out := Interval{Mean: figure(sample)}
	rng := rand.New(rand.NewPCG(uint64(n), 95))
	values := make([]float64, resamples)
	for v := range values {
		for i := range sample {
			sample[i] = rng.IntN(n)
		}
		values[v] = figure(sample)
	}
	slices.Sort(values)
	out.Low, out.High = values[resamples/40], values[resamples-1-resamples/40]
	return out
}

// BootstrapMean is Bootstrap of the mean of a figure of each image.
func BootstrapMean(each []float64) Interval {
	return Bootstrap(len(each), func(sample []int) float64 {
		sum := 0.0
		for _, i := range sample {
			sum += each[i]
		}
		return sum / float64(len(sample))
	})
}

// MeanAndSpread are the mean and the standard deviation of a sample.
func MeanAndSpread(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	if len(v) < 2 {
		return mean, 0
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// Median is that of a sample, which it sorts; of an even number the mean of the middle two.
func Median(v []int) float64 {
	slices.Sort(v)
	return float64(v[len(v)/2]+v[(len(v)-1)/2]) / 2
}
