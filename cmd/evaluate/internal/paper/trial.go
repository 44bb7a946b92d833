package paper

import (
	"fmt"
	"sync"
	"time"

	"collie/cmd/evaluate/internal/results"
	"collie/cmd/internal/stats"
	"collie/crf"
	"collie/herding"
	"collie/segment/simulate"
)

// trial is one row of the table.
type trial struct {
	Method     string   `json:"method"`
	Solver     string   `json:"solver,omitempty"`
	Reading    string   `json:"reading,omitempty"`
	Rate       float64  `json:"rate,omitempty"`
	Observed   float64  `json:"observed"`
	Hypotheses int      `json:"hypotheses"`
	Images     int      `json:"images"`
	Draws      int      `json:"draws"`
	Oracle     float64  `json:"oracle"`
	First      float64  `json:"first"`
	Mode       float64  `json:"mode"`
	Spread     accuracy `json:"standard_deviation"` // over the draws

	PerImage     accuracy            `json:"per_image"` // means over the images of each one's mean IoU
	PerClass     map[string]accuracy `json:"per_class"`
	OracleBy     []float64           `json:"oracle_by_hypotheses"` // of the first 1, 2, … hypotheses
	Milliseconds float64             `json:"milliseconds_per_hypothesis"`

	method simulate.Method
	mu     sync.Mutex
	sums   []*sums // per draw
	spent  time.Duration
	made   int
}

// What the flags --solver and --reading name.
var (
	maximisers = map[string]crf.Method{"auto": crf.Auto, "exact": crf.TRWS, "lbp": crf.LBP}
	readings   = map[string]herding.Reading{
		"similarity": herding.Similarity, "before-weight": herding.SimilarityBeforeWeight, "softmax": herding.Softmax,
	}
)

// accuracy is one figure for each way to choose among the hypotheses.
type accuracy struct {
	Oracle float64 `json:"oracle"`
	First  float64 `json:"first"`
	Mode   float64 `json:"mode"`
}

// sums add up one draw over the images; oracle[m] chooses among the first m+1
// hypotheses.
type sums struct {
	oracle []*simulate.Overlap
	mode   *simulate.Overlap
	images []accuracy // of each image, zero when it is all void
	count  float64    // of the images that are not
}

// open makes room for the sums of the trial's draws on its images.
func (t *trial) open(classes int) {
	for range t.Draws {
		s := &sums{mode: simulate.NewOverlap(classes), images: make([]accuracy, t.Images)}
		for range t.Hypotheses {
			s.oracle = append(s.oracle, simulate.NewOverlap(classes))
		}
		t.sums = append(t.sums, s)
	}
}

// add counts the hypotheses of one image and draw.
func (t *trial) add(image, draw int, truth simulate.Truth, hypotheses [][]uint8, spent time.Duration) {
	best := make([]int, len(hypotheses)) // among the first 1, 2, …
	quality := make([]float64, len(hypotheses))
	for m, x := range hypotheses {
		quality[m] = simulate.MeanIoU(truth, x)
		if m > 0 {
			best[m] = best[m-1]
		}
		if quality[m] > quality[best[m]] {
			best[m] = m
		}
	}
	mode := herding.Mode(hypotheses)

	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent += spent
	t.made += len(hypotheses)
	sums := t.sums[draw]
	sums.mode.Add(truth, mode)
	sums.images[image] = accuracy{quality[best[len(best)-1]], quality[0], simulate.MeanIoU(truth, mode)}
	sums.count++
	for m, o := range sums.oracle {
		o.Add(truth, hypotheses[best[min(m, len(best)-1)]])
	}
}

// finish turns sums of one image at least into figures.
func (t *trial) finish(classes int) {
	draws := float64(len(t.sums))
	t.PerClass = map[string]accuracy{}
	t.OracleBy = make([]float64, t.Hypotheses)
	var each [3][]float64
	for _, s := range t.sums {
		last := s.oracle[len(s.oracle)-1]
		each[0] = append(each[0], last.Mean())
		each[1] = append(each[1], s.oracle[0].Mean())
		each[2] = append(each[2], s.mode.Mean())
		for _, a := range s.images {
			n := draws * max(s.count, 1)
			t.PerImage.Oracle += a.Oracle / n
			t.PerImage.First += a.First / n
			t.PerImage.Mode += a.Mode / n
		}
		for m, o := range s.oracle {
			t.OracleBy[m] += o.Mean() / draws
		}
		for class := range classes {
			if v, ok := last.IoU(class); ok {
				first, _ := s.oracle[0].IoU(class)
				mode, _ := s.mode.IoU(class)
				a := t.PerClass[className(class, classes)]
				t.PerClass[className(class, classes)] = accuracy{a.Oracle + v/draws, a.First + first/draws, a.Mode + mode/draws}
			}
		}
	}
	t.Oracle, t.Spread.Oracle = stats.MeanAndSpread(each[0])
	t.First, t.Spread.First = stats.MeanAndSpread(each[1])
	t.Mode, t.Spread.Mode = stats.MeanAndSpread(each[2])
	t.Milliseconds = t.spent.Seconds() * 1000 / float64(t.made)
}

// cells are those of a table: M, oracle, ±, first, ±, mode, ±, ms.
func (t *trial) cells() string {
	return fmt.Sprintf("%d\t%.1f\t%s\t%.1f\t%s\t%.1f\t%s\t%.2f", t.Hypotheses,
		100*t.Oracle, results.Spread(t.Spread.Oracle, t.Draws), 100*t.First, results.Spread(t.Spread.First, t.Draws), 100*t.Mode, results.Spread(t.Spread.Mode, t.Draws), t.Milliseconds)
}

// legend explains the columns that the tables of voc and semantic share.
const legend = "M is the number of hypotheses, ± the standard deviation between draws, ms the time of a hypothesis."
