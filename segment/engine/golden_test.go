package engine

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/segment"
	"collie/segment/affinity"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// compareGolden compares lines with those of a golden file, which -update writes.
func compareGolden(t *testing.T, name string, got []string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Fields(string(golden)), got); diff != "" {
		t.Errorf("(-golden +got):\n%s", diff)
	}
}

// TestGoldenDigests checks that the engine gives the same bytes as when the file
// was written, so that nobody changes the method unknowingly.
func TestGoldenDigests(t *testing.T) {
	clicks := clicksOn(400, map[int]uint8{0: 0, 399: 1, 20: 2, 210: 1, 333: 0})
	quarters := make([]int32, 400)
	for i := range quarters {
		quarters[i] = int32(i/200*2 + i%20/10)
	}
	rest := segment.Rest{Mode: segment.RestClass, Class: 9}
	holds := newHolds(400)
	holds.pick(1, slices.Repeat([]uint8{1}, 400), 100, 101, 102, 120, 121, 122)
	holds.click(2, 210)
	evidence := []Evidence{
		{Clicks: clicks},
		{Clicks: clicksOn(400, map[int]uint8{210: 1}), Rest: rest},
		{Clicks: clicks, Rest: rest, Holds: holds, Shown: clicksOn(400, map[int]uint8{0: 0, 399: 1, 20: 2, 333: 0}), Since: []int32{210}},
		{
			Clicks: clicksOn(400, map[int]uint8{0: 0, 399: 1, 20: 2, 210: 1, 333: 0, 87: 2, 305: 1}), Rest: rest,
			Shown: slices.Concat(slices.Repeat([]uint8{0}, 200), slices.Repeat([]uint8{1}, 200)), Since: []int32{87, 305},
		},
	}
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		var got []string
		for _, e := range evidence {
			for _, h := range first(t, NewSequence(NewModel(gridGraph(20, 4), DefaultParameters).Divide(quarters), e, 5), 20) {
				got = append(got, h.Digest.String())
			}
		}
		runtime.GOMAXPROCS(old)
		compareGolden(t, "golden-digests.txt", got)
		if t.Failed() {
			t.Fatalf("with GOMAXPROCS=%d", procs)
		}
	}
}

// TestGoldenDigestsOfLearnedAffinities checks that learned affinities give the
// same bytes as when they were learned.
func TestGoldenDigestsOfLearnedAffinities(t *testing.T) {
	m, g := patchwork(240, 160, 150)
	clicks := clicksOn(m.N, map[int]uint8{m.At(200, 80): 0, m.At(60, 80): 1})
	s := NewSequence(NewModel(g, Learned(affinity.Default())), Evidence{Clicks: clicks}, 2)
	var got []string
	for _, h := range first(t, s, 20) {
		got = append(got, h.Digest.String())
	}
	compareGolden(t, "golden-learned.txt", got)
}

// TestGoldenDigestsOfFeatures checks that the features of extents, corrections and the stack
// are the numbers that the choosers were trained with: with others their weights mean
// nothing. Whoever changes a feature has to train the choosers again.
func TestGoldenDigestsOfFeatures(t *testing.T) {
	m := NewModel(gridGraph(20, 4), DefaultParameters) // 400 superpixels in rows of 20
	m.shells = func(seed int) []int32 {                // squares, ever larger ones
		out := make([]int32, 400)
		for i := range out {
			dy, dx := i/20-seed/20, i%20-seed%20
			out[i] = int32(math.Sqrt(float64(max(dx*dx, dy*dy))))
		}
		return out
	}
	boxes := []Box{m.NewBox(1, image.Rect(130, 50, 310, 270))}
	rest := segment.Rest{Mode: segment.RestClass}
	shown := slices.Concat(slices.Repeat([]uint8{0}, 180), slices.Repeat([]uint8{1}, 140), slices.Repeat([]uint8{2}, 80))
	var got []string
	add := func(name string, count int, features func(i int) []float64) {
		for j := range features(0) {
			hash := sha256.New()
			for i := range count {
				fmt.Fprintln(hash, features(i)[j]) // the shortest decimal that is this number and no other
			}
			got = append(got, fmt.Sprintf("%s/%d/%x", name, j, hash.Sum(nil)[:4]))
		}
	}
	for name, e := range map[string]Evidence{
		"click": {Clicks: clicksOn(400, map[int]uint8{210: 1})},
		"box":   {Clicks: clicksOn(400, nil), Boxes: boxes},
	} {
		e.Rest = rest
		all, err := m.Extents(e)
		if err != nil || len(all) < 10 {
			t.Fatalf("%s: %d extents, %v", name, len(all), err)
		}
		add(name, len(all), func(i int) []float64 { return all[i].Features[:] })
	}
	for name, e := range map[string]Evidence{
		"to-rest": {Clicks: clicksOn(400, map[int]uint8{25: 0, 250: 1, 211: 0, 390: 2}), Since: []int32{211}, Boxes: boxes},
		"to-new":  {Clicks: clicksOn(400, map[int]uint8{25: 0, 250: 1, 270: 1, 215: 3}), Since: []int32{215}},
		"to-old":  {Clicks: clicksOn(400, map[int]uint8{25: 0, 250: 1, 390: 2, 105: 1}), Since: []int32{105}},
	} {
		e.Rest, e.Shown = rest, shown
		all, _, err := m.Corrections(e)
		if err != nil || len(all) < 10 {
			t.Fatalf("%s: %d corrections, %v", name, len(all), err)
		}
		add(name, len(all), func(i int) []float64 { return all[i].Features[:] })
	}
	var stack [][]float64
	fixed := unclicked(400)
	fixed[25], fixed[26], fixed[250], fixed[390] = 0, 0, 1, 2
	err := m.StackSees(fixed, 3, func(_, _ int, _ []float64, rows [][]float64) {
		for _, row := range rows {
			stack = append(stack, slices.Clone(row))
		}
	})
	if err != nil || len(stack) != 3*396 {
		t.Fatalf("%d rows of the stack, %v", len(stack), err)
	}
	add("stack", len(stack), func(i int) []float64 { return stack[i] })
	slices.Sort(got)
	compareGolden(t, "golden-features.txt", got)
}

// TestGoldenDigestsWithFusedMultiplyAdd runs the golden test in a build whose
// compiler may fuse a product and a sum into one rounding.
func TestGoldenDigestsWithFusedMultiplyAdd(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts other programs")
	}
	if runtime.GOARCH != "amd64" || os.Getenv("GOAMD64") == "v3" {
		t.Skip("only from an amd64 build of the base level")
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err != nil || !strings.Contains(string(info), " fma ") {
		t.Skip("this processor has no fused multiply-add")
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestGoldenDigests", "-skip", "FusedMultiplyAdd", ".")
	cmd.Env = append(os.Environ(), "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with GOAMD64=v3: %v\n%s", err, out)
	}
}
