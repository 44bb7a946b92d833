package main

import (
	"bytes"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
)

// listed is the form in which go list prints a package: its path, then those of
// the packages that it imports.
const listed = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`

// house is the packages of the module.
type house struct {
	imports map[string][]string // direct ones that don't follow from others
	floors  [][]string          // from the top; no package imports one of its own floor
}

// readHouse makes the house of what go list prints.
func readHouse(list *exec.Cmd) (*house, error) {
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		var own []string
		for _, path := range strings.Fields(line) {
			name, ok := strings.CutPrefix(path, "collie/")
			if name = room(name); ok && drawn(name) {
				own = append(own, name)
			} else if len(own) == 0 {
				break // another package than those that are drawn
			}
		}
		if len(own) > 0 {
			imports := all[own[0]]
			for _, name := range own[1:] {
				if name != own[0] && !slices.Contains(imports, name) {
					imports = append(imports, name)
				}
			}
			all[own[0]] = imports
		}
	}
	h := &house{imports: reduced(all)}
	h.stack()
	return h, nil
}

// room is the package in whose box another one is drawn: what only one program imports
// is part of it.
func room(name string) string {
	if program, _, ok := strings.Cut(name, "/internal/"); ok && strings.HasPrefix(program, "cmd/") {
		return program
	}
	return name
}

// drawn leaves out helpers of tests, and what only measuring and making need.
func drawn(name string) bool {
	program := strings.HasPrefix(name, "cmd/")
	return !strings.Contains(name, "internal") && !strings.HasSuffix(name, "e2e") && (program || !strings.HasSuffix(name, "test"))
}

// reduced leaves out the imports that lead to where another one leads, too.
func reduced(imports map[string][]string) map[string][]string {
	reach := map[string]map[string]bool{}
	var visit func(p string) map[string]bool
	visit = func(p string) map[string]bool {
		if reach[p] == nil {
			reach[p] = map[string]bool{}
			for _, q := range imports[p] {
				reach[p][q] = true
				for r := range visit(q) {
					reach[p][r] = true
				}
			}
		}
		return reach[p]
	}
	out := map[string][]string{}
	for p, direct := range imports {
		out[p] = slices.DeleteFunc(slices.Clone(direct), func(q string) bool {
			return slices.ContainsFunc(direct, func(other string) bool { return visit(other)[q] })
		})
		slices.Sort(out[p])
	}
	return out
}

// stack puts every package on the lowest floor above all that it imports and
// orders the floors so that arrows are short.
func (h *house) stack() {
	floor := map[string]int{}
	var rise func(p string) int
	rise = func(p string) int {
		if _, ok := floor[p]; !ok {
			floor[p] = 0
			for _, q := range h.imports[p] {
				floor[p] = max(floor[p], rise(q)+1)
			}
		}
		return floor[p]
	}
	top := 0
	var names []string
	for p := range h.imports {
		names = append(names, p)
		top = max(top, rise(p))
	}
	slices.Sort(names)
	h.floors = make([][]string, top+1)
	for _, p := range names {
		h.floors[top-floor[p]] = append(h.floors[top-floor[p]], p)
	}
	near := map[string][]string{} // both ways
	for _, p := range names {
		for _, q := range h.imports[p] {
			near[p], near[q] = append(near[p], q), append(near[q], p)
		}
	}
	for range 8 {
		at := h.places()
		for _, row := range h.floors {
			middle := map[string]float64{}
			for _, p := range row {
				middle[p] = at[p].x
				for _, q := range near[p] {
					middle[p] += at[q].x
				}
				middle[p] /= float64(1 + len(near[p]))
			}
			slices.SortStableFunc(row, func(a, b string) int {
				switch {
				case middle[a] < middle[b]:
					return -1
				case middle[a] > middle[b]:
					return 1
				}
				return strings.Compare(a, b)
			})
		}
	}
}

// Sizes in the picture, in its units.
const (
	leastGap   = 10 // between boxes
	floorGap   = 92
	boxHeight  = 30
	letter     = 7.2 // width of one
	margin     = 30
	textOffset = 20
)

type point struct{ x, y float64 }

// places returns the middle of the upper edge of each package's box.
func (h *house) places() map[string]point {
	at := map[string]point{}
	width := h.width()
	for i, row := range h.floors {
		gap := (width - boxWidths(row)) / float64(len(row)+1)
		x := gap
		for _, p := range row {
			at[p] = point{x + boxWidth(p)/2, float64(margin + i*floorGap)}
			x += boxWidth(p) + gap
		}
	}
	return at
}

// width is that of the widest floor.
func (h *house) width() (most float64) {
	for _, row := range h.floors {
		most = max(most, boxWidths(row)+leastGap*float64(len(row)+1))
	}
	return math.Ceil(most)
}

func boxWidths(row []string) (sum float64) {
	for _, p := range row {
		sum += boxWidth(p)
	}
	return sum
}

func boxWidth(name string) float64 { return letter*float64(len(name)) + 18 }

// draw returns the picture as SVG, the same bytes for the same house.
func (h *house) draw() []byte {
	var b bytes.Buffer
	at := h.places()
	height := 2*margin + (len(h.floors)-1)*floorGap + boxHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" role="img" aria-label="Packages and what they import">
<style>
text { font: 12px ui-monospace, monospace; text-anchor: middle; fill: #1b2430 }
rect { fill: #f4f6f9; stroke: #5b6b7f } path { fill: none; stroke: #5b6b7f; stroke-opacity: .55 } marker path { fill: #5b6b7f; stroke: none }
@media (prefers-color-scheme: dark) { text { fill: #e8edf4 } rect { fill: #222b37; stroke: #8fa1b8 } path { stroke: #8fa1b8 } marker path { fill: #8fa1b8 } }
</style>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>
`, h.width(), height)
	for _, row := range h.floors {
		for _, p := range row {
			from := at[p]
			for _, q := range h.imports[p] {
				to := at[q]
				y0, y1 := from.y+boxHeight, to.y-1
				bend := (y1 - y0) / 2
				fmt.Fprintf(&b, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\" marker-end=\"url(#tip)\"/>\n", from.x, y0, from.x, y0+bend, to.x, y1-bend, to.x, y1)
			}
		}
	}
	for _, row := range h.floors {
		for _, p := range row {
			fmt.Fprintf(&b, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%d\" rx=\"6\"/><text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
				at[p].x-boxWidth(p)/2, at[p].y, boxWidth(p), boxHeight, at[p].x, at[p].y+textOffset, p)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
