package pretend

import (
	"image"
	"math"
	"math/rand/v2"

	"collie/segment"
	"collie/segment/importer/npz"
)

// Dimensions of embeddings, and the waves that make the part of their noise that varies
// slowly.
const (
	dims  = 64
	waves = 8
)

// Embeddings makes embeddings from the right answer. Each class has a random
// direction, the same in all images; the mean of the directions of a place's pixels
// is the share quality of the variance. The rest is noise: half of it differs from
// place to place, half of it is waves of random directions and of one to three
// periods across the image.
func Embeddings(mask []uint8, size image.Point, patch int, quality float64, seed uint64) *npz.Embeddings {
	var directions [256][]float64
	rng := rand.New(rand.NewPCG(7, 7))
	for class := range directions {
		directions[class] = direction(rng)
	}
	rng = rand.New(rand.NewPCG(seed, 1))
	type wave struct {
		x, y, phase float64
		direction   []float64
	}
	slow := make([]wave, waves)
	for i := range slow {
		angle, periods := rng.Float64()*2*math.Pi, 1+2*rng.Float64()
		slow[i] = wave{periods * math.Cos(angle), periods * math.Sin(angle), rng.Float64(), direction(rng)}
	}
	e := &npz.Embeddings{Width: (size.X + patch - 1) / patch, Height: (size.Y + patch - 1) / patch, Dims: dims}
	e.Values = make([]float32, e.Width*e.Height*e.Dims)
	for place := range e.Width * e.Height {
		row := e.Values[place*e.Dims:][:e.Dims]
		add := func(v []float64, factor float64) {
			for i := range row {
				row[i] += float32(factor * v[i])
			}
		}
		cell := image.Rect(0, 0, patch, patch).Add(image.Pt(place%e.Width, place/e.Width).Mul(patch)).Intersect(image.Rectangle{Max: size})
		for y := cell.Min.Y; y < cell.Max.Y; y++ {
			for x := cell.Min.X; x < cell.Max.X; x++ {
				if class := mask[y*size.X+x]; class != segment.Void {
					add(directions[class], math.Sqrt(quality)/float64(cell.Dx()*cell.Dy()))
				}
			}
		}
		noise := math.Sqrt((1 - quality) / 2)
		add(direction(rng), noise)
		for _, w := range slow {
			at := w.x*float64(cell.Min.X)/float64(size.X) + w.y*float64(cell.Min.Y)/float64(size.Y) + w.phase
			add(w.direction, noise*math.Sqrt(2.0/waves)*math.Sin(2*math.Pi*at))
		}
	}
	return e
}

// direction draws one of length 1.
func direction(rng *rand.Rand) []float64 {
	out, sum := make([]float64, dims), 0.0
	for i := range out {
		out[i] = rng.NormFloat64()
		sum += out[i] * out[i]
	}
	for i := range out {
		out[i] /= math.Sqrt(sum)
	}
	return out
}
