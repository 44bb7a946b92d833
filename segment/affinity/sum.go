package affinity

// Clicked is a party with a label.
type Clicked struct {
	Party int32
	Label int
}

// Sum adds up similarities to clicks, one click at a time. Like the Cells that it is
// of, it is not for concurrent use.
type Sum struct {
	cells  *Cells
	left   []Clicked // that are not added yet
	labels int
	places int       // that were asked for when the sum began
	sums   []float64 // of each label, and of all
}

// Sum begins to add up the similarities to clicks with labels below a number. It takes
// clicks × all places that were ever asked for.
func (c *Cells) Sum(clicks []Clicked, labels int) *Sum {
	n := len(c.parties)
	return &Sum{cells: c, left: clicks, labels: labels, places: n, sums: make([]float64, (labels+1)*n)}
}

// Next adds the next click and reports whether any are left.
func (s *Sum) Next() (left bool) {
	if len(s.left) == 0 {
		return false
	}
	click := s.left[0]
	s.left = s.left[1:]
	column := s.cells.column(click.Party)[:s.places]
	label := s.sums[click.Label*s.places:][:len(column)]
	all := s.sums[s.labels*s.places:][:len(column)]
	for place, v := range column {
		label[place] += v
		all[place] += v
	}
	return len(s.left) > 0
}

// At returns the sums at some places, in the order of the clicks: of the similarities
// to those with each label (places × labels, row-major), and to all.
func (s *Sum) At(places []int32) (of, each []float64) {
	n, k := s.places, s.labels
	of, each = make([]float64, k*len(places)), make([]float64, len(places))
	for i, place := range places {
		for l := range k {
			of[i*k+l] = s.sums[l*n+int(place)]
		}
		each[i] = s.sums[k*n+int(place)]
	}
	return of, each
}
