package learn

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"collie/segment/affinity"
	"collie/segment/photo/phototest"
	"collie/superpixels"
)

// patchwork is an image on which the usual affinities are misled.
func patchwork(seed uint64) Example {
	const width, height = 144, 96
	img, class := phototest.Patchwork(seed, width, height)
	h, cells := superpixels.Divide(img, 400)
	cut := h.Cut(cells, 100, make([]uint8, h.Finest()), 0)
	g := cells.Coarsen(cut.Parent, cut.N)
	e := Example{ID: fmt.Sprint("patchwork ", seed), Features: Describe(img, h, cells, 100), Graph: func() (*superpixels.Graph, error) { return g, nil }}
	for i := range g.Regions {
		c := g.Regions[i].Centroid
		e.Labels = append(e.Labels, class[int(c[1])*width+int(c[0])])
	}
	return e
}

func patchworks(from, to int) (out []Example) {
	for i := from; i < to; i++ {
		out = append(out, patchwork(uint64(i)))
	}
	return out
}

// Where the usual affinities are misled, a project has its own, the same each time, and
// they save work on other images; where they are right, it has none.
func TestOwnAffinities(t *testing.T) {
	usual := affinity.Default()
	examples := patchworks(0, 14)
	m, err := Train(t.Context(), examples, nil, usual)
	if err != nil || m.Affinities == nil {
		t.Fatalf("no affinities of its own: %v", err)
	}
	again, err := relate(t.Context(), examples, usual, false)
	if err != nil || again.all == nil || !bytes.Equal(again.all.Encode(), m.Affinities.Encode()) {
		t.Errorf("another time others come out: %v", err)
	}
	encoded, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var stored Model
	if err := stored.UnmarshalBinary(encoded); err != nil || stored.Affinities == nil || stored.Affinities.Number() != m.Affinities.Number() {
		t.Errorf("the stored model has other affinities: %v", err)
	}
	without, with := 0, 0
	others, err := relatedOf(t.Context(), patchworks(100, 108))
	if err != nil {
		t.Fatal(err)
	}
	for i := range others {
		for sum, a := range map[*int]*affinity.Model{&without: usual, &with: m.Affinities} {
			n, err := others[i].work(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			*sum += n
		}
	}
	if float64(with) > 0.8*float64(without) {
		t.Errorf("other images take %d actions with them, %d without", with, without)
	}

	blank := patchworks(0, 12)
	for i := range blank {
		blank[i].Labels = make([]uint8, len(blank[i].Labels))
	}
	for name, c := range map[string]struct {
		examples []Example
		usual    *affinity.Model
	}{
		"too few": {examples[:fewestRelated-1], usual}, "set by hand": {examples, nil}, "the usual ones are right": {fields(t, 12), usual}, "one class": {blank, usual},
	} {
		if own, err := relate(t.Context(), c.examples, c.usual, false); own.all != nil || err != nil {
			t.Errorf("%s: %v, %v", name, own.all != nil, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if own, err := relate(ended, examples, usual, false); own.all != nil || err == nil {
		t.Errorf("after the end: %v, %v", own.all != nil, err)
	}
}
