package export_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/export"
	"collie/segment/gauge"
	"collie/segment/importer/npz"
	"collie/segment/workspace"
	"collie/storage/workspacetest"
)

// The probabilities are the marginals of the hypotheses, in the order of the
// project's classes, and can be imported again as a first guess.
func TestProbabilities(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	files, report := mustWrite(t, w, p.ID, "numpy", export.Options{Hypotheses: new(7)})
	if files["A_B-2/probs.npz"] != nil || report.Images[1].Note == "" {
		t.Errorf("the untouched image has probabilities: %+v", report.Images[1])
	}
	content := files["a_b/probs.npz"]
	scores, err := npz.ReadScores(bytes.NewReader(content), int64(len(content)), npz.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	a := workspacetest.MustOpenImage(t, w, images[0].ID)
	state, sequence := a.Present()
	u, err := sequence.Uncertainty(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	k := len(p.Classes)
	if len(scores.Values) != len(state.Labels)*k {
		t.Fatalf("%d probabilities for %d superpixels and %d classes", len(scores.Values), len(state.Labels), k)
	}
	for i, got := range scores.Values {
		class := p.Classes[i%k].ID
		want := 0.0
		for j, inPlay := range sequence.Classes() {
			if inPlay == int(class) {
				want = u.Marginals[i/k*len(sequence.Classes())+j]
			}
		}
		if math.Abs(float64(got)-want) > 1.0/2048 {
			t.Fatalf("superpixel %d, class %d: %v, want %v", i/k, class, got, want)
		}
	}
}

// Pixels that were painted one by one are exported as they were painted.
func TestRepairs(t *testing.T) {
	w := workspacetest.MustOpen(t)
	p, images := twoImages(t, w)
	a := workspacetest.MustOpenImage(t, w, images[0].ID)
	before := a.Pixels()
	repairs := []segment.Repair{{Class: 1, Runs: []int32{5, 3}}, {Class: segment.Void, Runs: []int32{120*40 + 7, 1}}}
	workspacetest.MustAppend(t, a, segment.Event{ID: "repair", Kind: segment.Pixels, Repairs: repairs})
	want := bytes.Clone(before)
	copy(want[5:], []byte{1, 1, 1})
	want[120*40+7] = segment.Void
	files, _ := mustWrite(t, w, p.ID, "numpy", export.Options{})
	labels := unzip(t, files["a_b/labels.npz"])["labels.npy"]
	if !bytes.Equal(labels[len(labels)-len(want):], want) {
		t.Error("the repaired pixels are not in labels.npz")
	}
}

// queued counts the steps of sequences that waited for a worker's turn.
type queued struct{ atomic.Int32 }

func (q *queued) Took(what gauge.Time, _ time.Duration) {
	if what == gauge.Queue {
		q.Add(1)
	}
}

func (q *queued) Happened(gauge.Happening) {}

// An export at a pace, which runs on threads of low priority, takes no worker's
// turn for its hypotheses. Control: without a pace it does.
func TestPacedHypothesesTakeNoTurn(t *testing.T) {
	t.Parallel()
	var turns queued
	w := workspacetest.MustOpenFolder(t, t.TempDir()).Workspace(workspace.Options{Observer: &turns})
	p, _ := twoImages(t, w)
	write := func(ctx context.Context, hypotheses int) int32 {
		before := turns.Load()
		if _, err := export.Write(ctx, io.Discard, w, p.ID, "numpy", export.Options{Hypotheses: new(hypotheses)}, nil); err != nil {
			t.Fatal(err)
		}
		return turns.Load() - before
	}
	if n := write(t.Context(), 3); n == 0 {
		t.Error("without a pace no step waited for its turn; the test shows nothing")
	}
	paced := export.AtPace(t.Context(), func(_ context.Context, piece func()) error {
		piece()
		return nil
	})
	if n := write(paced, 7); n > 0 {
		t.Errorf("%d steps of an export at a pace took a worker's turn", n)
	}
}
