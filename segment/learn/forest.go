package learn

import (
	"context"
	"math"
	"math/rand/v2"

	"collie/segment/schedule"
)

const (
	trees     = 120
	folds     = 3   // of the images; a tree leaves one out
	leastLeaf = 3   // rows
	fullShare = 255 // of a leaf's rows
	noFeature = math.MaxUint16
)

// table is what a forest is grown from or predicts for: columns of one byte per
// row.
type table struct {
	rows    int
	columns [][]uint8
}

// forest predicts the class of a row as the mean of its trees.
type forest struct {
	columns, classes int // of the tables it was grown from
	trees            []tree
}

type tree struct {
	nodes []node // the first is the root
	votes []vote // of the leaves
}

// node sends rows whose value is above the threshold to the node after left,
// the others to left. In a leaf, which has noFeature, left is the first of its
// votes and threshold one less than their number.
type node struct {
	left      uint32
	feature   uint16
	threshold uint8
}

// vote is a class's share of a leaf, in units of 1/fullShare.
type vote struct{ class, share uint8 }

// grow grows a forest on the rows of a table. class has the class of each row,
// 0 to classes-1, or a larger number for rows to ignore; images has the number
// of each row's image. out, the result of leaveOut, says which tree leaves out
// which image. Different seeds give different forests. Between trees it pauses, and
// the context stops it.
func grow(ctx context.Context, t table, class []uint8, classes int, images []int32, out [][]bool, seed uint64) (*forest, error) {
	f := &forest{columns: len(t.columns), classes: classes, trees: make([]tree, trees)}
	g := grower{table: t, class: class, classes: classes, tries: 2 * int(math.Sqrt(float64(len(t.columns))))}
	g.scratch = make([]int32, t.rows)
	for i := range f.trees {
		g.rng = rand.New(rand.NewPCG(seed, uint64(i)))
		g.rows = g.rows[:0]
		for row, c := range class {
			if int(c) < classes && !out[i][images[row]] {
				g.rows = append(g.rows, int32(row))
			}
		}
		f.trees[i] = g.grow()
		if err := schedule.Pause(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// leaveOut decides which images each tree leaves out: one of every folds trees
// leaves out each image. A single image is never left out.
func leaveOut(images int) [][]bool {
	out := make([][]bool, trees)
	var order []int
	for i := range out {
		out[i] = make([]bool, images)
		if i%folds == 0 {
			order = rand.New(rand.NewPCG(uint64(images), uint64(i))).Perm(images)
		}
		for place, image := range order {
			out[i][image] = images > 1 && place%min(folds, images) == i%folds
		}
	}
	return out
}

// grower grows one tree after another.
type grower struct {
	table
	class   []uint8
	classes int
	tries   int
	rng     *rand.Rand
	rows    []int32 // of the tree
	scratch []int32
	tree    tree
	counts  [2][256]int32 // per side and class
	whole   [256]int32
}

func (g *grower) grow() tree {
	g.tree = tree{nodes: make([]node, 1)}
	type part struct {
		node       uint32
		start, end int
	}
	parts := []part{{0, 0, len(g.rows)}}
	for len(parts) > 0 {
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		rows := g.rows[p.start:p.end]
		split, ok := g.split(rows)
		if !ok {
			g.tree.nodes[p.node] = g.leaf(rows)
			continue
		}
		left := g.divide(rows, split)
		split.left = uint32(len(g.tree.nodes))
		g.tree.nodes[p.node] = split
		g.tree.nodes = append(g.tree.nodes, node{}, node{})
		parts = append(parts, part{split.left + 1, p.start + left, p.end}, part{split.left, p.start, p.start + left})
	}
	return g.tree
}

// split tries some features, each with one threshold between the values of two
// rows, all drawn at random, and returns the one with the purest sides.
func (g *grower) split(rows []int32) (best node, ok bool) {
	g.count(rows)
	if len(rows) < 2*leastLeaf || g.pure(len(rows)) {
		return best, false
	}
	most := -1.0
	for range g.tries {
		feature := g.rng.IntN(len(g.columns))
		column := g.columns[feature]
		low, high := column[rows[g.rng.IntN(len(rows))]], column[rows[g.rng.IntN(len(rows))]]
		if low == high {
			continue
		}
		if low > high {
			low, high = high, low
		}
		threshold := low + uint8(g.rng.IntN(int(high-low)))
		if purity := g.purity(rows, column, threshold); purity > most {
			most, best, ok = purity, node{feature: uint16(feature), threshold: threshold}, true
		}
	}
	return best, ok
}

// count counts the classes of some rows.
func (g *grower) count(rows []int32) {
	clear(g.whole[:g.classes])
	for _, row := range rows {
		g.whole[g.class[row]]++
	}
}

// pure reports whether all of so many rows are of one class.
func (g *grower) pure(rows int) bool {
	for _, c := range g.whole[:g.classes] {
		if c > 0 {
			return int(c) == rows
		}
	}
	return true
}

// purity is the sum over both sides and all classes of count²/rows, which is
// large where the Gini impurity is small; -1 when a side would be too small.
func (g *grower) purity(rows []int32, column []uint8, threshold uint8) float64 {
	clear(g.counts[0][:g.classes])
	clear(g.counts[1][:g.classes])
	for _, row := range rows {
		// 1 where the value is above the threshold.
		side := (uint32(threshold) - uint32(column[row])) >> 31
		g.counts[side][g.class[row]]++
	}
	sum := 0.0
	for side := range g.counts {
		n, squares := int64(0), int64(0)
		for _, c := range g.counts[side][:g.classes] {
			n += int64(c)
			squares += int64(c) * int64(c)
		}
		if n < leastLeaf {
			return -1
		}
		sum += float64(squares) / float64(n)
	}
	return sum
}

// divide moves the rows that a split sends to the left to the front, keeping
// their order on both sides, and returns their number.
func (g *grower) divide(rows []int32, split node) int {
	column := g.columns[split.feature]
	left, right := 0, 0
	for _, row := range rows {
		if column[row] <= split.threshold {
			rows[left] = row
			left++
		} else {
			g.scratch[right] = row
			right++
		}
	}
	copy(rows[left:], g.scratch[:right])
	return left
}

// leaf makes the votes of the rows that count has counted.
func (g *grower) leaf(rows []int32) node {
	first := len(g.tree.votes)
	for class, c := range g.whole[:g.classes] {
		if c > 0 {
			share := (2*int(c)*fullShare + len(rows)) / (2 * len(rows))
			g.tree.votes = append(g.tree.votes, vote{uint8(class), uint8(share)})
		}
	}
	if len(rows) == 0 {
		g.tree.votes = append(g.tree.votes, vote{}) // for nothing
	}
	return node{left: uint32(first), feature: noFeature, threshold: uint8(len(g.tree.votes) - first - 1)}
}

// predict sums the votes of some trees, all if use is nil, for each row of a
// table: rows × classes. All rows of a table have nearly the same sum.
func (f *forest) predict(t table, use func(tree int) bool) []uint32 {
	sums := make([]uint32, t.rows*f.classes)
	for i := range f.trees {
		if use != nil && !use(i) {
			continue
		}
		nodes, votes := f.trees[i].nodes, f.trees[i].votes
		for row := range t.rows {
			n := nodes[0]
			for n.feature != noFeature {
				next := n.left
				if t.columns[n.feature][row] > n.threshold {
					next++
				}
				n = nodes[next]
			}
			sum := sums[row*f.classes:][:f.classes]
			for _, v := range votes[n.left:][:int(n.threshold)+1] {
				sum[v.class] += uint32(v.share)
			}
		}
	}
	return sums
}
