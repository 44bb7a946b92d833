package affinity

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"collie/superpixels"
)

// Model is two logistic regressions. It is immutable once made.
type Model struct {
	Edge, Pair Regression
	Notes      []string // one line each, about how it was made
}

// Regression gives the log odds Bias + Σ Linear·x + Log·ln(|x|+½), over the
// features x, that two regions are of one class.
type Regression struct {
	Bias  float32
	Terms []Term
}

// Term is a regression's weights for a feature. Values are clamped to
// Low..High, the range seen in training.
type Term struct{ Linear, Log, Low, High float32 }

// Forms returns the two inputs that the term computes from a value of its
// feature.
func (t *Term) Forms(x float32) (linear, log float32) {
	if x < t.Low { // cheaper than min and max, which care for NaN
		x = t.Low
	}
	if x > t.High {
		x = t.High
	}
	return x, superpixels.Ln(abs(x) + 0.5)
}

// counts reports whether the value of the feature matters.
func (t *Term) counts() bool { return t.Linear != 0 || t.Log != 0 }

// mostLogit is the largest and -mostLogit the least log odds that a model gives.
const mostLogit = 8

// Logit returns the log odds for some features.
func (r *Regression) Logit(features []float32) float32 {
	sum := r.Bias
	for f, x := range features {
		t := &r.Terms[f]
		if !t.counts() {
			continue
		}
		linear, log := t.Forms(x)
		sum += float32(t.Linear*linear) + float32(t.Log*log)
	}
	return min(max(sum, -mostLogit), mostLogit)
}

//go:embed default.txt
var defaultText []byte

// Default is the model that comes with the program; default.txt describes how
// it was made.
var Default = sync.OnceValue(func() *Model {
	m, err := Decode(defaultText)
	if err != nil {
		panic(err)
	}
	return m
})

// Number identifies the weights of a model: the first 8 bytes of the SHA-256 of
// its encoding without notes.
func (m *Model) Number() string {
	sum := sha256.Sum256((&Model{Edge: m.Edge, Pair: m.Pair}).Encode())
	return hex.EncodeToString(sum[:8])
}

const header = "collie affinities 1"

// Encode writes the model as text: the header, notes that begin with '#', then
// for each regression a line 'edge bias B' or 'pair bias B' and a line
// 'edge NAME LINEAR LOG LOW HIGH' for each feature, then 'end'.
func (m *Model) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, header)
	for _, note := range m.Notes {
		fmt.Fprintln(&b, "# "+note)
	}
	for _, p := range m.parts() {
		fmt.Fprintf(&b, "%s bias %v\n", p.name, p.Bias)
		for f, term := range p.Terms {
			fmt.Fprintf(&b, "%s %s %v %v %v %v\n", p.name, p.features[f].Name, term.Linear, term.Log, term.Low, term.High)
		}
	}
	fmt.Fprintln(&b, "end")
	return b.Bytes()
}

type part struct {
	name     string
	features []Feature
	*Regression
}

func (m *Model) parts() []part {
	return []part{{"edge", EdgeFeatures, &m.Edge}, {"pair", PairFeatures, &m.Pair}}
}

// mostWeight is the largest accepted absolute weight; features stay below some
// thousands.
const mostWeight = 1e6

// Decode reads what Encode wrote: all features of this version of the program
// in their order, finite weights, nothing after 'end'. Errors name the line.
func Decode(data []byte) (*Model, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("this is not a file of affinities: it isn't text")
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	number := 0
	next := func() string {
		number++
		if lines.Scan() {
			return lines.Text()
		}
		return ""
	}
	if first := next(); first != header {
		if strings.HasPrefix(first, "collie affinities ") {
			return nil, fmt.Errorf("line 1: the version is %q, want %q", first, header)
		}
		return nil, fmt.Errorf("this is not a file of affinities: its first line is not %q", header)
	}
	m := &Model{}
	line := next()
	for ; strings.HasPrefix(line, "# "); line = next() {
		m.Notes = append(m.Notes, strings.TrimRight(line[len("# "):], "\r"))
	}
	for _, p := range m.parts() {
		var bias [1]float32
		if err := weights(line, p.name+" bias", bias[:]); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		p.Bias, p.Terms = bias[0], make([]Term, len(p.features))
		for f, feature := range p.features {
			var v [4]float32
			if err := weights(next(), p.name+" "+feature.Name, v[:]); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			if v[2] > v[3] {
				return nil, fmt.Errorf("line %d: the least value %v is above the largest, %v", number, v[2], v[3])
			}
			p.Terms[f] = Term{v[0], v[1], v[2], v[3]}
		}
		line = next()
	}
	if line == "" {
		return nil, fmt.Errorf("line %d: the file ends too early, want \"end\"", number)
	}
	if line != "end" {
		return nil, fmt.Errorf("line %d: %q, want \"end\"", number, line)
	}
	if next() != "" || lines.Scan() || lines.Err() != nil {
		return nil, fmt.Errorf("something follows line %d, which says that the file ends", number-1)
	}
	return m, nil
}

// mostBytes is far more than any file of affinities holds.
const mostBytes = 1 << 20

// ReadFile decodes a file. Errors name it.
func ReadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(data) > mostBytes {
		err = errors.New("this is not a file of affinities: it is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// weights reads the numbers of a line that begins with a name.
func weights(line, name string, into []float32) error {
	words := strings.Fields(line)
	if len(words) != 2+len(into) || words[0]+" "+words[1] != name {
		if line == "" {
			return fmt.Errorf("the file ends too early, want %q", name)
		}
		return fmt.Errorf("%q, want %q and %d numbers", line, name, len(into))
	}
	for i, word := range words[2:] {
		v, err := strconv.ParseFloat(word, 32)
		if err != nil || !(math.Abs(v) <= mostWeight) {
			return fmt.Errorf("%q is not a weight: want a number from %g to %g", word, -mostWeight, mostWeight)
		}
		into[i] = float32(v)
	}
	return nil
}
