package herding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"collie/crf"
)

// goldenDigests are the sha256 over labels and energy bits of the sequences of
// one synthetic scene per number of labels. They change only when the method
// changes, never with the machine, the build or the number of threads.
var goldenDigests = map[string]string{
	"divmbest/k=2":   "81de6f999b1cdc3fb671d1b1dda24af4632bde03f605aaaebf8a7d62eff496da",
	"divmbest/k=5":   "97ecdfd40b36b31950fb493c0c3c1544b6b5ff1157e8381d6b483c5f98e7ae44",
	"lbp/k=2":        "98d474486ca873c7b219fd141b84b06795174ec5046dd1a2e87f443179f893f5",
	"lbp/k=5":        "0313bd9e3e9fb61aff60a37a717154660d1a4f35c1bfd01719b6248cce619e17",
	"posterior/k=2":  "b5ee2f67b9d9f9ecd0edad3c2e181eca74d36ba01f21a0a999d48e45ad80658e",
	"posterior/k=5":  "b198e22cd3eddea04769e5eeb1181c132c4e80349448dba7d357e72e6b00b5ed",
	"similarity/k=2": "e29446201d61f4e03b7737ece11717a605d4be4b4eaa3dc886096c36e196231b",
	"similarity/k=5": "8d05c3f4f729347ff330533f20c5cc239f62e96c262e8d43da8baa6065593b01",
	"softmax/k=2":    "cfe424d785e5f0a351e04099482cb03f49a72897703457e4c8bbb8c42208390a",
	"softmax/k=5":    "1c5e94fe6f8549b19548f287a691336ebb1e68928eea43e8785a6599658c0371",
}

// goldenSequences digests every kind of sequence.
func goldenSequences(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, k := range []int{2, 5} {
		s := newScene(300, k, 0.05, 9)
		h, err := NewHarmonic(s.n, s.conductances)
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Solve(nil, k, s.clicks, nil)
		if err != nil {
			t.Fatal(err)
		}
		posterior, err := Posterior(p, k, s.clicks, s.potts, PosteriorOptions{EtaUnary: 0.5, EtaArea: 0.2, Area: s.area})
		if err != nil {
			t.Fatal(err)
		}
		m := &crf.Model{Nodes: s.n, Labels: k, Unary: make([]float64, s.n*k), Fixed: s.clicks, Edges: s.potts}
		soft, err := Paper(m, Softmax, 1)
		if err != nil {
			t.Fatal(err)
		}
		similar, err := Paper(m, Similarity, 1)
		if err != nil {
			t.Fatal(err)
		}
		flood := *similar
		flood.Solver.Method = crf.LBP
		for name, p := range map[string]*Problem{
			"posterior": posterior, "softmax": soft, "similarity": similar, "lbp": &flood, "divmbest": DivMBest(m, 0.15),
		} {
			sum := sha256.New()
			for h, err := range p.Run(context.Background(), 10) {
				if err != nil {
					t.Fatal(err)
				}
				sum.Write(h.Labels)
				var bits [16]byte
				binary.LittleEndian.PutUint64(bits[:8], math.Float64bits(h.Energy))
				binary.LittleEndian.PutUint64(bits[8:], math.Float64bits(h.Slack))
				sum.Write(bits[:])
			}
			out[name+"/k="+string(rune('0'+k))] = hex.EncodeToString(sum.Sum(nil))
		}
	}
	return out
}

func TestGolden(t *testing.T) {
	for _, threads := range []int{1, 4} {
		before := runtime.GOMAXPROCS(threads)
		got := goldenSequences(t)
		runtime.GOMAXPROCS(before)
		names := make([]string, 0, len(got))
		for name := range got {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if got[name] != goldenDigests[name] {
				t.Errorf("%d threads: %q: %q,", threads, name, got[name])
			}
		}
	}
}

// TestGoldenFused repeats TestGolden in a build that fuses multiplications and
// additions where the language allows it.
func TestGoldenFused(t *testing.T) {
	if runtime.GOARCH != "amd64" || os.Getenv("GOAMD64") == "v3" {
		t.Skip("for amd64 builds below v3")
	}
	if testing.Short() {
		t.Skip("builds the package once more")
	}
	flags, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || !strings.Contains(string(flags), " fma ") || !strings.Contains(string(flags), " avx2 ") {
		t.Skip("this processor is not known to run GOAMD64=v3")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool")
	}
	cmd := exec.Command(goTool, "test", "-count=1", "-run", "^TestGolden$", ".")
	cmd.Env = append(os.Environ(), "GOAMD64=v3")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("GOAMD64=v3: %v\n%s", err, out)
	}
}
