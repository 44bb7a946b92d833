package learn

import (
	"context"
	"slices"

	"collie/segment"
	"collie/segment/engine"
	"collie/superpixels"
)

// Example is a finished image to learn from.
type Example struct {
	ID       string
	Features *Features
	Labels   []uint8 // class per superpixel, or segment.Void

	// Graph returns the graph of the default granularity.
	Graph func() (*superpixels.Graph, error)

	// Imported is the image's first guess from imported scores, nil without
	// one.
	Imported *engine.Guess
}

// Limits of what is learned from.
const (
	MaxExamples    = 200     // images, the latest
	maxRows        = 200_000 // superpixels of all of them
	fewestImages   = 3       // with a class before it is guessed
	FewestExamples = 5       // before anything is guessed
)

// stages is the number of forests. All but the first also see what the one before
// says, see Features.context.
const stages = 3

// classifier is the forests and their calibration.
type classifier struct {
	classes  []uint8 // ids, the most frequent first
	forests  [stages]*forest
	exponent float64 // of the last one's probabilities, see calibrate
}

// classify trains a classifier and returns its out-of-bag prediction for each
// example: superpixels × classes. It is nil when fewer than two classes are in
// enough images. The context stops it between trees.
func classify(ctx context.Context, examples []Example) (*classifier, [][]float32, error) {
	c := &classifier{classes: frequentClasses(examples)}
	k := len(c.classes)
	if k < 2 {
		return nil, nil, nil
	}
	t, class, images := join(examples, c.classes)
	out := leaveOut(len(examples))
	var said [][]float32
	for stage := range c.forests {
		t.columns = t.columns[:Count]
		for i := range said {
			for at, column := range examples[i].Features.context(said[i], k) {
				if i == 0 {
					t.columns = append(t.columns, make([]uint8, 0, t.rows))
				}
				t.columns[Count+at] = append(t.columns[Count+at], column...)
			}
		}
		f, err := grow(ctx, t, class, k, images, out, uint64(stage+1))
		if err != nil {
			return nil, nil, err
		}
		c.forests[stage], said = f, honest(f, t, examples, out)
	}
	c.exponent = calibrate(said, class, k)
	for _, p := range said {
		sharpen(p, k, c.exponent)
	}
	return c, said, ctx.Err()
}

// predict returns the probabilities of the classes at each superpixel:
// superpixels × classes.
func (c *classifier) predict(f *Features) []float32 {
	k := len(c.classes)
	t := f.table()
	var p []float32
	for stage, forest := range c.forests {
		if stage > 0 {
			t.columns = append(t.columns[:Count], f.context(p, k)...)
		}
		p = probabilities(forest.predict(t, nil), k)
	}
	sharpen(p, k, c.exponent)
	return p
}

// frequentClasses are the classes that enough examples have, most superpixels
// first.
func frequentClasses(examples []Example) []uint8 {
	var superpixels, images [256]int
	for _, e := range examples {
		var here [256]bool
		for _, l := range e.Labels {
			superpixels[l]++
			here[l] = true
		}
		for l, is := range here {
			if is {
				images[l]++
			}
		}
	}
	var classes []uint8
	for l, n := range images[:segment.Void] {
		if n >= fewestImages {
			classes = append(classes, uint8(l))
		}
	}
	slices.SortStableFunc(classes, func(a, b uint8) int { return superpixels[b] - superpixels[a] })
	return classes
}

// table is the features alone.
func (f *Features) table() table {
	t := table{rows: f.N}
	for column := range slices.Chunk(f.Values, f.N) {
		t.columns = append(t.columns, column)
	}
	return t
}

// join puts the examples' features one after the other, with the place among the
// classes, and the number of the image, of each row. Rows of other classes have
// segment.Void.
func join(examples []Example, classes []uint8) (t table, class []uint8, images []int32) {
	for i, e := range examples {
		t.rows += e.Features.N
		for _, l := range e.Labels {
			place := slices.Index(classes, l)
			if place < 0 {
				place = segment.Void
			}
			class = append(class, uint8(place))
			images = append(images, int32(i))
		}
	}
	for at := range Count {
		column := make([]uint8, 0, t.rows)
		for _, e := range examples {
			column = append(column, e.Features.Values[at*e.Features.N:(at+1)*e.Features.N]...)
		}
		t.columns = append(t.columns, column)
	}
	return t, class, images
}

// honest returns the out-of-bag predictions: for each image those of the trees
// grown without it.
func honest(f *forest, t table, examples []Example, out [][]bool) [][]float32 {
	said := make([][]float32, len(examples))
	start := 0
	for i, e := range examples {
		part := table{rows: e.Features.N}
		for _, column := range t.columns {
			part.columns = append(part.columns, column[start:start+part.rows])
		}
		start += part.rows
		said[i] = probabilities(f.predict(part, func(tree int) bool { return out[tree][i] }), f.classes)
	}
	return said
}

// probabilities turns sums of votes into probabilities that are never 0.
func probabilities(sums []uint32, classes int) []float32 {
	p := make([]float32, len(sums))
	for at := 0; at < len(sums); at += classes {
		total := uint32(classes)
		for _, v := range sums[at : at+classes] {
			total += v
		}
		for i, v := range sums[at : at+classes] {
			p[at+i] = float32(v+1) / float32(total)
		}
	}
	return p
}
