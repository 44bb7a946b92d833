package npz

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"collie/segment"
	"collie/superpixels"
)

// Embeddings are a grid of points in a space of many dimensions, as the last
// layers of a network give for the patches of an image.
type Embeddings struct {
	Name          string // of the array in its archive
	Width, Height int    // of the grid
	Dims          int

	// Values are Height×Width×Dims row-major, finite. Reduce overwrites them.
	Values []float32
}

// Limits of embeddings.
const (
	mostDims     = 1536
	mostInPoints = 1e6 // absolute coordinate

	sampledPlaces = 2048 // of a larger grid, for the directions
	powers        = 4    // of the covariance
	leastSpread   = 1e-6 // mean square distance from the mean of points of length 1
)

// Reduce gives each region of m a point with few coordinates whose distances are
// about those of the embeddings: these get length 1, so that networks of any
// scale are alike; their mean is subtracted; they are projected on the
// directions in which those of this image differ most; and each pixel of a
// region contributes what lies between the four places of the grid around it.
//
// The directions are the image's own, because points are only compared within an
// image: no directions for a whole project keep as much of an image's distances,
// and those would depend on which images came first. They span the range of a
// power of the covariance (Halko, Martinsson, Tropp 2011, doi:10.1137/090771806).
//
// O(places·Dims·segment.MaxEmbeddingDims + pixels·segment.MaxEmbeddingDims),
// deterministic. A grid finer than the image is ErrSize, one that is the same
// everywhere ErrValue.
func (e *Embeddings) Reduce(m *superpixels.Runs) (*segment.Embedding, error) {
	if e.Width > m.Width || e.Height > m.Height {
		return nil, fmt.Errorf("array %s: %w", quote(e.Name), tooFine(e.Width, e.Height, image.Pt(m.Width, m.Height), ""))
	}
	e.shorten()
	mean, spread := e.centre()
	if !(spread > leastSpread) {
		return nil, fmt.Errorf("array %s: %w: the embedding is the same at every place", quote(e.Name), ErrValue)
	}
	dims := min(e.Dims, segment.MaxEmbeddingDims)
	e.project(mean, e.directions(mean, dims), dims)
	points := e.average(m, dims)
	most := float32(0)
	for _, v := range points {
		most = max(most, v, -v)
	}
	out := &segment.Embedding{Dims: dims, Scale: float64(most) / 127, Values: make([]uint8, len(points))}
	if most == 0 {
		out.Scale = 1
	}
	for i, v := range points {
		out.Values[i] = uint8(math.Round(float64(v)/out.Scale) + 128)
	}
	return out, nil
}

func (e *Embeddings) row(place int) []float32 { return e.Values[place*e.Dims:][:e.Dims] }

func (e *Embeddings) places() int { return e.Width * e.Height }

// shorten gives all embeddings but zeros length 1.
func (e *Embeddings) shorten() {
	for place := range e.places() {
		row := e.row(place)
		sum := 0.0
		for _, v := range row {
			sum += float64(float64(v) * float64(v))
		}
		if sum == 0 {
			continue
		}
		length := math.Sqrt(sum)
		for i, v := range row {
			row[i] = float32(float64(v) / length)
		}
	}
}

// centre returns the mean and the mean square distance from it.
func (e *Embeddings) centre() (mean []float64, spread float64) {
	mean = make([]float64, e.Dims)
	squares := 0.0
	for place := range e.places() {
		for i, v := range e.row(place) {
			mean[i] += float64(v)
			squares += float64(float64(v) * float64(v))
		}
	}
	n := float64(e.places())
	spread = squares / n
	for i := range mean {
		mean[i] /= n
		spread -= float64(mean[i] * mean[i])
	}
	return mean, spread
}

// directions are dims orthonormal rows of Dims numbers.
func (e *Embeddings) directions(mean []float64, dims int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	q := make([][]float64, dims)
	for i := range q {
		q[i] = make([]float64, e.Dims)
		for j := range q[i] {
			q[i][j] = rng.NormFloat64()
		}
	}
	orthonormalise(q)
	if dims == e.Dims {
		return q
	}
	step := (e.places()-1)/sampledPlaces + 1
	point := make([]float64, e.Dims)
	for range powers {
		next := make([][]float64, dims)
		for i := range next {
			next[i] = make([]float64, e.Dims)
		}
		for place := 0; place < e.places(); place += step {
			e.away(point, mean, place)
			for i, direction := range q {
				along := dot(direction, point)
				into := next[i]
				for j, v := range point {
					into[j] += float64(along * v)
				}
			}
		}
		// A little of the previous direction keeps those apart that no point lies along.
		for i, row := range next {
			for j := range row {
				row[j] += float64(1e-9 * q[i][j])
			}
		}
		orthonormalise(next)
		q = next
	}
	return q
}

// away writes how far a place is from the mean.
func (e *Embeddings) away(dst, mean []float64, place int) {
	for i, v := range e.row(place) {
		dst[i] = float64(v) - mean[i]
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

// orthonormalise makes rows orthonormal, one after the other, twice for accuracy.
func orthonormalise(rows [][]float64) {
	for range 2 {
		for i, row := range rows {
			for _, before := range rows[:i] {
				along := dot(row, before)
				for j := range row {
					row[j] -= float64(along * before[j])
				}
			}
			length := math.Sqrt(dot(row, row))
			for j := range row {
				row[j] /= length
			}
		}
	}
}

// project replaces the embeddings by their dims coordinates.
func (e *Embeddings) project(mean []float64, directions [][]float64, dims int) {
	point, to := make([]float64, e.Dims), 0
	for place := range e.places() {
		e.away(point, mean, place)
		for _, d := range directions {
			e.Values[to] = float32(dot(d, point))
			to++
		}
	}
	e.Values, e.Dims = e.Values[:to], dims
}

// average returns the mean point of each region, row-major.
func (e *Embeddings) average(m *superpixels.Runs, dims int) []float32 {
	sums, areas := make([]float64, m.N*dims), make([]float64, m.N)
	point := make([]float64, dims)
	for run := range m.All() {
		into := sums[run.Region*dims:][:dims]
		for p := run.Start; p < run.End; p++ {
			e.between(point, p%m.Width, m.Width, p/m.Width, m.Height)
			for i, v := range point {
				into[i] += v
			}
		}
		areas[run.Region] += float64(run.End - run.Start)
	}
	out := make([]float32, len(sums))
	for i, sum := range sums {
		out[i] = float32(sum / areas[i/dims])
	}
	return out
}

// between interpolates linearly at a pixel.
func (e *Embeddings) between(dst []float64, x, width, y, height int) {
	left, right, across := around(x, width, e.Width)
	top, bottom, down := around(y, height, e.Height)
	clear(dst)
	for _, c := range [4]struct {
		x, y   int
		weight float64
	}{{left, top, (1 - across) * (1 - down)}, {right, top, across * (1 - down)}, {left, bottom, (1 - across) * down}, {right, bottom, across * down}} {
		if c.weight == 0 {
			continue
		}
		for i, v := range e.row(c.y*e.Width + c.x) {
			dst[i] += float64(c.weight * float64(v))
		}
	}
}

// around returns the places of a grid on both sides of a pixel, and how far it is
// from the first to the second, 0..1.
func around(pixel, pixels, places int) (before, after int, far float64) {
	at := (float64(pixel)+0.5)*float64(places)/float64(pixels) - 0.5
	before = max(int(math.Floor(at)), 0)
	return before, min(before+1, places-1), max(at-float64(before), 0)
}
