package timeline

import (
	"cmp"
	"math"
	"slices"
)

// mergedRuns caches the repairs of all cells by their first pixel. A stroke
// changes few cells, and only these are merged again.
type mergedRuns struct {
	known bool
	runs  []run           // ascending; runs of one class that touch are one
	since map[int32][]run // cells changed since, with their previous runs
}

// changed records a cell's runs before it changes.
func (m *mergedRuns) changed(cell int32, before []run) {
	if !m.known {
		return
	}
	if _, ok := m.since[cell]; !ok {
		m.since[cell] = before
	}
}

// allRuns returns the current repairs by their first pixel; runs of one class
// that touch are joined. They are shared and read-only. O(runs + n log n) with
// the n runs of the cells that have changed since the last call.
func (t *Timeline) allRuns() []run {
	m := &t.merged
	if !m.known {
		*m = mergedRuns{known: true, since: map[int32][]run{}}
		for _, list := range t.repairs {
			m.runs = append(m.runs, list...)
		}
		m.runs = overlay(nil, sorted(m.runs))
		return m.runs
	}
	if len(m.since) == 0 {
		return m.runs
	}
	var before, after []run
	for cell, had := range m.since {
		before = append(before, had...)
		after = append(after, t.repairs[cell]...)
	}
	clear(m.since)
	m.runs = overlay(without(m.runs, sorted(before)), sorted(after))
	return m.runs
}

// sorted sorts runs that do not overlap by their first pixel, in place.
func sorted(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.start, b.start) })
	return runs
}

// overlay puts the runs of above over those of below, both ascending and
// without overlap, and returns the visible runs; runs of one class that touch
// are joined. It keeps neither list.
func overlay(below, above []run) []run {
	out := make([]run, 0, len(below)+len(above))
	i := 0
	from := int32(0) // pixels below this one are done
	for _, a := range above {
		i, out = uncovered(out, below, i, from, a.start)
		out = joined(out, a.start, a.end(), a.class)
		from = a.end()
	}
	_, out = uncovered(out, below, i, from, math.MaxInt32)
	return slices.Clip(out)
}

// without returns the runs of list without the pixels of holes; both are
// ascending and without overlap.
func without(list, holes []run) []run {
	out := make([]run, 0, len(list)+len(holes))
	i := 0
	from := int32(0)
	for _, h := range holes {
		i, out = uncovered(out, list, i, from, h.start)
		from = h.end()
	}
	_, out = uncovered(out, list, i, from, math.MaxInt32)
	return out
}

// uncovered appends to out the parts of the runs from index i on that are in
// from..to-1, and returns the index of the first run that extends beyond.
func uncovered(out, runs []run, i int, from, to int32) (int, []run) {
	for ; i < len(runs) && runs[i].start < to; i++ {
		r := runs[i]
		out = joined(out, max(from, r.start), min(to, r.end()), r.class)
		if r.end() > to {
			break
		}
	}
	return i, out
}

// joined appends the run from start to end-1, unless it is empty, or extends
// the last one if that has the same class and touches it.
func joined(out []run, start, end int32, class uint8) []run {
	if start >= end {
		return out
	}
	if n := len(out); n > 0 && out[n-1].class == class && out[n-1].end() == start {
		out[n-1].length += end - start
		return out
	}
	return append(out, run{start, end - start, class})
}
