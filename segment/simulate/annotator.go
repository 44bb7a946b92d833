package simulate

import (
	"cmp"
	"context"
	"slices"

	"collie/segment"
	"collie/superpixels"
)

// Annotator stands in for a person who works on one image until it is good
// enough. Each click goes to the centre of the largest wrong region of what is
// shown and tells its true class; then the first hypothesis is shown, and the
// others are offered. Taking one of those, or a region of one, is an action
// like a click. Where the scene has a first guess there are hypotheses before the
// first click.
type Annotator struct {
	Scene    *Scene
	Truth    Truth
	Majority []uint8 // as Majority(Truth)
	Method   Method
	Count    int  // hypotheses on offer, the first included
	Regions  bool // regions of hypotheses may be taken, not only whole ones
	Strokes  bool // a click is drawn out to a stroke through the wrong region, still one action
	Max      int  // actions after which the person gives up
}

// maxTakes is how many regions a person puts together in the end.
const maxTakes = 2

// Work returns, for each target of mean IoU, the number of actions after which
// it was reached, or -1.
//
// The person goes on clicking until a hypothesis, or what is shown with up to
// two regions of hypotheses, reaches the target, and takes it then.
func (a *Annotator) Work(ctx context.Context, targets []float64) ([]int, error) {
	reached, _, err := a.Annotate(ctx, targets)
	return reached, err
}

// Annotate is Work that also returns the labelling, a class per region, that
// reached the last target, or what was shown in the end.
func (a *Annotator) Annotate(ctx context.Context, targets []float64) (reached []int, labels []uint8, err error) {
	w := &work{Annotator: a, adjacent: Neighbours(a.Scene.Graph), reached: make([]int, len(targets)), targets: targets}
	for i := range targets {
		w.reached[i] = -1
	}
	w.clicks = slices.Repeat([]uint8{segment.Void}, len(a.Majority))
	w.shown = slices.Clone(w.clicks)
	if a.Method.Rest.Mode == segment.RestClass {
		w.shown = slices.Repeat([]uint8{a.Method.Rest.Class}, len(a.Majority))
	}
	switch {
	case a.Scene.Guess != nil:
		if err := w.look(ctx); err != nil {
			return nil, nil, err
		}
	case a.Method.Rest.Mode == segment.RestClass:
		w.note(w.shown, MeanIoU(w.Truth, w.shown), 0) // the rest can be all that there is
	}
	for w.actions < a.Max && slices.Contains(w.reached, -1) {
		i := w.next()
		if i < 0 {
			break
		}
		w.actions++
		w.last = i
		for _, j := range w.gesture(i) {
			w.clicks[j] = a.Majority[j]
		}
		if err := w.look(ctx); err != nil {
			return nil, nil, err
		}
	}
	if w.accepted == nil {
		w.accepted = w.shown
	}
	return w.reached, w.accepted, nil
}

// Next returns the superpixel that the person would click when shown is on the
// screen, -1 when nothing of it is wrong.
func (a *Annotator) Next(shown []uint8) int { return a.before(shown).next() }

// Gesture returns that superpixel, with Strokes all that the stroke from there labels; nil
// when nothing is wrong.
func (a *Annotator) Gesture(shown []uint8) []int {
	w := a.before(shown)
	if i := w.next(); i >= 0 {
		return w.gesture(i)
	}
	return nil
}

// before is the state when shown is on the screen.
func (a *Annotator) before(shown []uint8) *work {
	return &work{Annotator: a, adjacent: Neighbours(a.Scene.Graph), shown: shown}
}

// work is the state of one image.
type work struct {
	*Annotator
	adjacent [][]int32
	targets  []float64
	reached  []int
	actions  int

	clicks   []uint8
	shown    []uint8
	last     int     // superpixel clicked last
	accepted []uint8 // reached the last target, or nil
}

// note remembers the targets that a labelling x reaches after some actions.
func (w *work) note(x []uint8, iou float64, actions int) {
	for t, target := range w.targets {
		if iou >= target && actions <= w.Max && (w.reached[t] < 0 || actions < w.reached[t]) {
			w.reached[t] = actions
			if t == len(w.targets)-1 {
				w.accepted = x
			}
		}
	}
}

// look makes the hypotheses and notes what could be had by taking from them.
func (w *work) look(ctx context.Context) error {
	clicks := w.Scene.Clicks(w.clicks)
	if len(clicks.Classes) == 0 {
		return nil
	}
	if w.actions > 0 && !w.Strokes { // strokes are labels, which correct nothing
		clicks.Shown, clicks.Last = w.shown, w.last
	}
	hypotheses, err := w.Method.Hypotheses(ctx, w.Scene, clicks, w.Count)
	if err != nil {
		return err
	}
	w.shown = hypotheses[0]
	w.note(w.shown, MeanIoU(w.Truth, w.shown), w.actions)
	for _, x := range hypotheses[1:] {
		w.note(x, MeanIoU(w.Truth, x), w.actions+1)
	}
	if !w.Regions {
		return nil
	}
	patched := w.shown
	for takes := 1; takes <= maxTakes; takes++ {
		better, iou := bestRegion(w.adjacent, patched, hypotheses[1:], func(x []uint8) float64 { return MeanIoU(w.Truth, x) })
		if better == nil {
			break
		}
		w.note(better, iou, w.actions+takes)
		patched = better
	}
	return nil
}

// bestRegion takes the connected region on which a hypothesis differs from x
// and which gives the best IoU; nil without any.
func bestRegion(adjacent [][]int32, x []uint8, hypotheses [][]uint8, iouOf func(x []uint8) float64) (best []uint8, iou float64) {
	for _, h := range hypotheses {
		for _, region := range partsOf(adjacent, func(i int) bool { return h[i] != x[i] }, func(int, int) bool { return true }) {
			after := slices.Clone(x)
			for _, i := range region {
				after[i] = h[i]
			}
			if v := iouOf(after); v > iou {
				best, iou = after, v
			}
		}
	}
	return best, iou
}

// next is the superpixel to click, -1 when nothing is wrong: the one deepest
// inside the wrong region of largest area, of several the one nearest to its
// middle.
func (w *work) next() int {
	wrong := func(i int) bool {
		return w.Majority[i] != segment.Void && w.shown[i] != w.Majority[i]
	}
	var largest []int
	most := 0
	for _, region := range partsOf(w.adjacent, wrong, func(i, j int) bool { return w.Majority[i] == w.Majority[j] }) {
		area := 0
		for _, i := range region {
			area += int(w.Scene.Graph.Regions[i].Area)
		}
		if area > most {
			largest, most = region, area
		}
	}
	if largest == nil {
		return -1
	}
	return w.centre(largest)
}

// gesture is what the person labels from superpixel i on: i alone, or a stroke,
// the shortest way through the wrong region to the superpixel farthest from i.
func (w *work) gesture(i int) []int {
	path := []int{i}
	if !w.Strokes {
		return path
	}
	from := map[int]int{i: i}
	queue := []int{i}
	for at := 0; at < len(queue); at++ {
		for _, j := range w.adjacent[queue[at]] {
			j := int(j)
			if _, seen := from[j]; !seen && w.Majority[j] == w.Majority[i] && w.shown[j] != w.Majority[j] {
				from[j] = queue[at]
				queue = append(queue, j)
			}
		}
	}
	for j := queue[len(queue)-1]; j != i; j = from[j] {
		path = append(path, j)
	}
	return path
}

// centre of a connected region.
func (w *work) centre(region []int) int {
	depth := make(map[int]int, len(region))
	for _, i := range region {
		depth[i] = 0
	}
	var front []int
	for _, i := range region {
		for _, j := range w.adjacent[i] {
			if _, inside := depth[int(j)]; !inside {
				depth[i] = 1
				front = append(front, i)
				break
			}
		}
	}
	for len(front) > 0 {
		i := front[0]
		front = front[1:]
		for _, j := range w.adjacent[i] {
			if d, inside := depth[int(j)]; inside && d == 0 {
				depth[int(j)] = depth[i] + 1
				front = append(front, int(j))
			}
		}
	}
	var x, y, area float64
	for _, i := range region {
		r := w.Scene.Graph.Regions[i]
		x += float64(float64(r.Area) * float64(r.Centroid[0]))
		y += float64(float64(r.Area) * float64(r.Centroid[1]))
		area += float64(r.Area)
	}
	off := func(i int) float64 {
		c := w.Scene.Graph.Regions[i].Centroid
		dx, dy := float64(c[0])-x/area, float64(c[1])-y/area
		return float64(dx*dx) + float64(dy*dy)
	}
	return slices.MinFunc(region, func(i, j int) int {
		return cmp.Or(cmp.Compare(depth[j], depth[i]), cmp.Compare(off(i), off(j)), cmp.Compare(i, j))
	})
}

// partsOf are the connected parts of the nodes that are in, joined where
// together says so.
func partsOf(adjacent [][]int32, in func(i int) bool, together func(i, j int) bool) [][]int {
	var out [][]int
	seen := make([]bool, len(adjacent))
	for start := range adjacent {
		if seen[start] || !in(start) {
			continue
		}
		seen[start] = true
		region := []int{start}
		for at := 0; at < len(region); at++ {
			for _, j := range adjacent[region[at]] {
				if !seen[j] && in(int(j)) && together(region[at], int(j)) {
					seen[j] = true
					region = append(region, int(j))
				}
			}
		}
		out = append(out, region)
	}
	return out
}

// Neighbours are those of each region of a graph.
func Neighbours(g *superpixels.Graph) [][]int32 {
	out := make([][]int32, len(g.Regions))
	for _, e := range g.Edges {
		out[e.A] = append(out[e.A], e.B)
		out[e.B] = append(out[e.B], e.A)
	}
	return out
}
