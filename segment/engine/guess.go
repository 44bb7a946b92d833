package engine

import (
	"slices"

	"collie/herding"
	"collie/segment"
	"collie/superpixels"
)

// Guess is the first guess of an image: for each superpixel how probable each of
// some classes is, as a model of the person's own sees it. It is soft evidence:
// clicks stand whatever it says. Immutable.
type Guess struct {
	Classes []uint8   // ids, ascending
	Shares  []float64 // superpixels × classes, row-major; rows sum to 1, or to 0 where nothing is known
}

// NewGuess returns the first guess that scores of cells give for the superpixels
// of a cut, with classes as the table has them; nil without scores or when
// no class is left. cells is the graph of the cells.
func NewGuess(s *segment.Scores, table *segment.ClassTable, cut *superpixels.Cut, cells *superpixels.Graph) *Guess {
	if s == nil {
		return nil
	}
	var present [256]bool
	for _, id := range s.Classes {
		present[table[id]] = true
	}
	out := &Guess{}
	var column [256]int
	for id := range segment.MaxClasses {
		if present[id] {
			column[id] = len(out.Classes)
			out.Classes = append(out.Classes, uint8(id))
		}
	}
	k := len(out.Classes)
	if k == 0 {
		return nil
	}
	out.Shares = make([]float64, cut.N*k)
	for cell, superpixel := range cut.Parent {
		row := out.Shares[int(superpixel)*k:][:k]
		area := float64(cells.Regions[cell].Area)
		for i, v := range s.Shares[cell*len(s.Classes):][:len(s.Classes)] {
			if id := table[s.Classes[i]]; id != segment.Void {
				row[column[id]] += float64(area * float64(v))
			}
		}
	}
	NormaliseRows(out.Shares, k)
	return out
}

// probable returns the classes that some superpixel has as its most probable.
func (g *Guess) probable() (classes [segment.MaxClasses]bool) {
	k := len(g.Classes)
	for at := 0; at < len(g.Shares); at += k {
		best := at
		for i := at + 1; i < at+k; i++ {
			if g.Shares[i] > g.Shares[best] {
				best = i
			}
		}
		if g.Shares[best] > 0 {
			classes[g.Classes[best-at]] = true
		}
	}
	return classes
}

// restrict returns the shares of the classes in play, superpixels × classes in
// play, with rows that sum to 1, or to 0 where none of them is in the guess.
func (g *Guess) restrict(inPlay []int) []float64 {
	k := len(g.Classes)
	column := make([]int, len(inPlay)) // in the guess, or -1
	for i, class := range inPlay {
		column[i] = -1
		for j, id := range g.Classes {
			if int(id) == class {
				column[i] = j
			}
		}
	}
	out := make([]float64, len(g.Shares)/k*len(inPlay))
	for row := 0; row*k < len(g.Shares); row++ {
		for i, j := range column {
			if j >= 0 {
				out[row*len(inPlay)+i] = g.Shares[row*k+j]
			}
		}
	}
	NormaliseRows(out, len(inPlay))
	return out
}

// NormaliseRows divides each row of k values, none negative, by its sum; rows of
// zeros stay.
func NormaliseRows(values []float64, k int) {
	for row := range slices.Chunk(values, k) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if sum > 0 {
			for i := range row {
				row[i] /= sum
			}
		}
	}
}

// GuessPull draws the walker towards a guess, superpixels × k, wherever it says
// something. The shares are shared.
func (m *Model) GuessPull(guess []float64, k int) *herding.Prior {
	pull := &herding.Prior{Weight: make([]float64, len(guess)/k), Share: guess}
	for i := range pull.Weight {
		sum := 0.0
		for _, v := range guess[i*k : (i+1)*k] {
			sum += v
		}
		if sum > 0 {
			pull.Weight[i] = m.Guess
		}
	}
	return pull
}

// join adds what pull draws the walker to, superpixels × k; nil adds nothing.
func join(prior, pull *herding.Prior, k int) {
	if pull == nil {
		return
	}
	for i, weight := range prior.Weight {
		conductance := pull.Weight[i]
		if conductance == 0 {
			continue
		}
		from, to := pull.Share[i*k:(i+1)*k], prior.Share[i*k:(i+1)*k]
		total := weight + conductance
		for l := range to {
			to[l] = (float64(weight*to[l]) + float64(conductance*from[l])) / total
		}
		prior.Weight[i] = total
	}
}
