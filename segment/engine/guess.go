package engine

import (
	"slices"

	"collie/crf"
	"collie/herding"
	"collie/segment"
	"collie/superpixels"
)

// Guess is the first guess of an image: for each superpixel the probabilities
// of some classes, from imported scores or the project's model. It is soft
// evidence: clicks override it, and the more they contradict it the less it
// counts. Immutable.
//
// It draws the random walker of each superpixel towards its classes, with the
// conductance Strength · ((max p − 1/K) / (1 − 1/K))^Exponent · trust, where K is
// the number of its classes, at least 2.
type Guess struct {
	Classes  []uint8   // ids, ascending
	Reserve  []uint8   // those of Classes, ascending, that come into play only when clicked
	Shares   []float64 // superpixels × classes, row-major; rows sum to at most 1; the remainder is for classes that the guess does not name
	Strength float64   // conductance where the guess is certain
	Exponent float64   // how fast the conductance decreases with uncertainty
	Proof    float64   // mean probability of the clicked classes at the clicks; with a lower one the guess counts less
	Patience float64   // clicks that may contradict the guess before each further one makes it count less; 0 for any number
}

// NewGuess returns the first guess from scores for the superpixels of a cut,
// with classes resolved by the table; nil without scores or remaining classes.
// cells is the graph of the cells, first the image's initial cut.
func NewGuess(s *segment.Scores, table *segment.ClassTable, first, cut *superpixels.Cut, cells *superpixels.Graph) *Guess {
	if s == nil {
		return nil
	}
	classes, reserve, column := s.Columns(table)
	out := &Guess{Classes: classes, Reserve: reserve, Strength: s.Strength, Exponent: s.Exponent, Proof: s.Proof, Patience: s.Patience}
	if s.Strength == 0 {
		out.Strength, out.Exponent, out.Proof = formerStrength, ImportExponent, ImportProof
	}
	k := len(classes)
	if k == 0 {
		return nil
	}
	out.Shares = make([]float64, cut.N*k)
	areas := make([]float64, cut.N)
	for cell, superpixel := range cut.Parent {
		row := out.Shares[int(superpixel)*k:][:k]
		area := float64(cells.Regions[cell].Area)
		areas[superpixel] += area
		for i, v := range s.At(cell, first.Parent[cell]) {
			if id := table[s.Classes[i]]; id != segment.Void {
				row[column[id]] += float64(area * float64(v) / 255)
			}
		}
	}
	for i := range out.Shares {
		out.Shares[i] /= areas[i/k]
	}
	return out
}

// Strength, exponent, proof and patience of scores made elsewhere, and the strength in
// evidence that doesn't say it, which any number of clicks may contradict.
const (
	ImportStrength = 1e-2
	ImportExponent = 0.5
	ImportProof    = 0.25
	ImportPatience = 3

	formerStrength = 3e-3
)

// Constants of the rules for clicks that contradict a guess.
const (
	dropContradictions = 3   // clicks on superpixels guessed to be a class that contradict it, with none that confirms it
	dropArea           = 0.2 // share of the area up to which a contradicted class is dropped

	trustHits  = 0.6  // added to the probabilities of the clicked classes
	trustTries = 2    // added to the number of clicks
	trustPower = 9    // of the shortfall
	trustLeast = 0.05 // below which the guess is ignored
	trustFade  = 0.3  // rate at which trust falls with contradictions beyond Guess.Patience
)

// inPlay returns the classes that are the most probable one of some superpixel,
// except those in reserve that nobody has clicked and those refuted by clicks:
// classes of a small area, predicted at several clicks of other classes and never
// clicked; no class if the whole guess is refuted. clicks has the clicked class or Void, and areas the area, of each
// superpixel.
func (g *Guess) inPlay(clicks []uint8, areas []float64) (classes [segment.MaxClasses]bool) {
	if g.refuted(clicks) {
		return classes
	}
	var area [segment.MaxClasses]float64
	var contradicted [segment.MaxClasses]int
	var clicked [256]bool
	for _, c := range clicks {
		clicked[c] = true
	}
	var waiting [256]bool
	for _, id := range g.Reserve {
		waiting[id] = !clicked[id]
	}
	total := 0.0
	for i, c := range clicks {
		total += areas[i]
		class := g.best(i, &waiting)
		if class == segment.Void {
			continue
		}
		area[class] += areas[i]
		classes[class] = true
		if c != segment.Void && c != class {
			contradicted[class]++
		}
	}
	for class := range classes {
		if contradicted[class] >= dropContradictions && !clicked[class] && area[class] < dropArea*total {
			classes[class] = false
		}
	}
	return classes
}

// best returns the most probable class of a superpixel, except those that wait,
// or Void if it has none.
func (g *Guess) best(superpixel int, waiting *[256]bool) uint8 {
	class, most := uint8(segment.Void), 0.0
	for i, v := range g.row(superpixel) {
		if v > most && !waiting[g.Classes[i]] {
			class, most = g.Classes[i], v
		}
	}
	return class
}

func (g *Guess) row(superpixel int) []float64 {
	return g.Shares[superpixel*len(g.Classes):][:len(g.Classes)]
}

// Prior returns how the guess draws the walker towards the classes in play, in
// this order. clicks is as for inPlay. Superpixels without probabilities for
// classes in play have no weight.
func (g *Guess) Prior(clicks []uint8, inPlay []int) *herding.Prior {
	n, k := len(clicks), len(inPlay)
	prior := &herding.Prior{Weight: make([]float64, n), Share: make([]float64, n*k)}
	column := make([]int, k) // in the guess, or -1
	for i, class := range inPlay {
		column[i] = slices.Index(g.Classes, uint8(class))
	}
	strength := g.Strength * g.trust(clicks)
	for i := range n {
		row, share := g.row(i), prior.Share[i*k:(i+1)*k]
		most := 0.0
		for to, from := range column {
			if from >= 0 {
				share[to] = row[from]
				most = max(most, row[from])
			}
		}
		prior.Weight[i] = float64(strength * g.conviction(most))
	}
	NormaliseRows(prior.Share, k)
	return prior
}

// conviction is 0 where the classes are equally probable and 1 where one is
// certain, raised to Exponent.
func (g *Guess) conviction(p float64) float64 {
	k := float64(max(len(g.Classes), 2))
	p = (p - 1/k) / (1 - 1/k)
	if p <= 0 {
		return 0
	}
	return crf.Exp(g.Exponent * crf.Log(p))
}

// refuted reports whether clicks contradict the guess so much that it counts for
// nothing.
func (g *Guess) refuted(clicks []uint8) bool { return g.trust(clicks) < trustLeast }

// trust is 1 unless the guess gives the clicked classes a low probability at
// the clicks, on average or, beyond its patience, in sum. Clicks that confirm the
// guess raise only the average. Without the sum, a wrong guess that was ignored
// would come back with every class that it happens to have right, as people then
// click what the others have wrong.
func (g *Guess) trust(clicks []uint8) float64 {
	hits, tries, contradictions := trustHits, float64(trustTries), 0.0
	for i, c := range clicks {
		if c == segment.Void {
			continue
		}
		p := 0.0
		if column := slices.Index(g.Classes, c); column >= 0 {
			p = g.row(i)[column]
		}
		tries++
		hits += p
		contradictions += max(0, 1-float64(2*p))
	}
	trust := 1.0
	if g.Proof > 0 {
		part := min(hits/tries/g.Proof, 1)
		for range trustPower {
			trust *= part
		}
	}
	if excess := contradictions - g.Patience; g.Patience > 0 && excess > 0 {
		trust *= crf.Exp(-trustFade * excess)
	}
	return trust
}

// NormaliseRows divides each row of k non-negative values by its sum; rows of
// zeros are not changed.
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

// join adds the pull of another prior, superpixels × k; nil adds nothing.
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
