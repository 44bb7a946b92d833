// Package uai reads the graphical models of the UAI inference competitions, on
// which cmd/evaluate measures the maximisers of package crf.
package uai

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"collie/crf"
)

// Errors of Read besides those of crf.Model.Validate.
var (
	// ErrSyntax: the text is not a UAI file.
	ErrSyntax = errors.New("uai: not a UAI model")
	// ErrUnsupported: a UAI model that is not a Potts model with one number of labels.
	ErrUnsupported = errors.New("uai: unsupported UAI model")
)

// ZeroScore replaces the logarithm of a factor's zero entry: low enough that no
// finite score makes up for it, but finite.
const ZeroScore = -1e5

// maxCells limits nodes × labels of a model that is read (8 bytes each).
const maxCells = 1 << 26

// Read reads a MARKOV model of the UAI inference competitions (2008 and
// later) whose factors are tables over one variable or Potts tables over two
// variables – one value on the diagonal, one off it – all with the same number
// of labels. Scores are natural logarithms of the entries; zero entries get
// ZeroScore. The constant of each factor (ln of the entry off the diagonal)
// goes into the unaries, so that crf.Model.Energy is the natural logarithm of the
// product of all factors. Errors wrap ErrSyntax, ErrUnsupported or those of crf.Model.Validate.
func Read(r io.Reader) (*crf.Model, error) {
	u := &reader{s: bufio.NewScanner(r)}
	u.s.Buffer(nil, 4096)
	u.s.Split(bufio.ScanWords)
	m := u.model()
	if u.err != nil {
		return nil, u.err
	}
	return m, m.Validate()
}

// reader reads words and keeps the first error.
type reader struct {
	s    *bufio.Scanner
	word int
	err  error
}

func (u *reader) fail(kind error, format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf("%w: word %d: %s", kind, u.word, fmt.Sprintf(format, args...))
	}
}

func (u *reader) next(what string) string {
	u.word++
	if u.err == nil && !u.s.Scan() {
		if err := u.s.Err(); err != nil {
			u.fail(ErrSyntax, "%v", err)
		} else {
			u.fail(ErrSyntax, "the text ends where %s should be", what)
		}
	}
	if u.err != nil {
		return ""
	}
	return u.s.Text()
}

// int reads a number from low to high.
func (u *reader) int(what string, low, high int) int {
	t := u.next(what)
	v, err := strconv.Atoi(t)
	if u.err != nil {
		return low
	}
	if err != nil || v < low || v > high {
		u.fail(ErrSyntax, "%s is %.20q, want %d to %d", what, t, low, high)
		return low
	}
	return v
}

// score reads a factor's entry and takes its logarithm.
func (u *reader) score() float64 {
	t := u.next("an entry of a factor")
	v, err := strconv.ParseFloat(t, 64)
	switch {
	case u.err != nil:
		return 0
	case err != nil || !(v >= 0) || math.IsInf(v, 1):
		u.fail(ErrSyntax, "entry of a factor is %.20q, want finite numbers from 0", t)
		return 0
	case v == 0:
		return ZeroScore
	}
	return crf.Log(v)
}

func (u *reader) model() *crf.Model {
	if t := u.next("MARKOV"); u.err == nil && t != "MARKOV" {
		u.fail(ErrSyntax, "the file begins with %.20q, accepted is MARKOV", t)
	}
	m := &crf.Model{Nodes: u.int("the number of variables", 1, math.MaxInt32)}
	for i := 0; i < m.Nodes && u.err == nil; i++ {
		k := u.int("a number of labels", 1, math.MaxInt32)
		switch {
		case u.err != nil:
		case k > crf.MaxLabels:
			u.fail(ErrUnsupported, "variable %d has %d labels, want 1 to %d", i, k, crf.MaxLabels)
		case i == 0:
			m.Labels = k
		case k != m.Labels:
			u.fail(ErrUnsupported, "variable %d has %d labels, variable 0 has %d", i, k, m.Labels)
		case i*k >= maxCells:
			u.fail(ErrUnsupported, "more than %d variables × labels", maxCells)
		}
	}
	factors := u.int("the number of factors", 0, math.MaxInt32)
	if u.err != nil {
		return nil
	}
	m.Unary = make([]float64, m.Nodes*m.Labels)
	var scopes [][2]int32
	for f := 0; f < factors && u.err == nil; f++ {
		scope := [2]int32{-1, -1}
		size := u.int("the size of a factor's scope", 0, math.MaxInt32)
		if size > 2 {
			u.fail(ErrUnsupported, "factor %d is over %d variables, want 2 at most", f, size)
			break
		}
		for v := range size {
			scope[v] = int32(u.int("a variable of a scope", 0, m.Nodes-1))
		}
		if size == 2 && scope[0] == scope[1] {
			u.fail(ErrSyntax, "factor %d is over variable %d twice", f, scope[0])
		}
		scopes = append(scopes, scope)
	}
	for f, scope := range scopes {
		if u.err != nil {
			return nil
		}
		u.factor(m, f, scope)
	}
	return m
}

// factor reads a table and adds it to the model.
func (u *reader) factor(m *crf.Model, f int, scope [2]int32) {
	k := m.Labels
	want := 1
	for _, v := range scope {
		if v >= 0 {
			want *= k
		}
	}
	if n := u.int("the size of a table", 0, math.MaxInt32); u.err == nil && n != want {
		u.fail(ErrSyntax, "the table of factor %d has %d entries, its scope needs %d", f, n, want)
	}
	if u.err != nil {
		return
	}
	switch {
	case scope[0] < 0:
		addConstant(m, 0, u.score())
	case scope[1] < 0:
		for l := range k {
			m.Unary[int(scope[0])*k+l] += u.score()
		}
	default:
		u.potts(m, f, scope)
	}
}

func (u *reader) potts(m *crf.Model, f int, scope [2]int32) {
	k := m.Labels
	same := u.score()
	differ := same
	for l := 1; l < k*k && u.err == nil; l++ {
		s := u.score()
		switch {
		case l == 1:
			differ = s
		case l%(k+1) == 0 && s != same, l%(k+1) != 0 && s != differ:
			u.fail(ErrUnsupported, "factor %d is not a Potts table: accepted is one value on the diagonal and one off it", f)
		}
	}
	addConstant(m, int(scope[0]), differ)
	m.Edges = append(m.Edges, crf.Edge{A: scope[0], B: scope[1], W: same - differ})
}

// addConstant adds c to every labelling's energy, through the unaries of node i.
func addConstant(m *crf.Model, i int, c float64) {
	for l := range m.Labels {
		m.Unary[i*m.Labels+l] += c
	}
}
