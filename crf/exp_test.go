package crf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps is the distance of two doubles in units in the last place.
func ulps(a, b float64) int64 {
	if a == b {
		return 0
	}
	d := int64(math.Float64bits(a)) - int64(math.Float64bits(b))
	return max(d, -d)
}

func TestExpAndLogAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		x := (rng.Float64() - 0.5) * math.Pow(10, rng.Float64()*6-3)
		if got, want := Exp(x), math.Exp(x); ulps(got, want) > 2 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Exp((rng.Float64() - 0.5) * 1400)
		if got, want := Log(y), math.Log(y); ulps(got, want) > 2 {
			t.Fatalf("Log(%v) = %v, want %v", y, got, want)
		}
		y = 1 + (rng.Float64()-0.5)*math.Pow(10, -rng.Float64()*12)
		if got, want := Log(y), math.Log(y); ulps(got, want) > 2 {
			t.Fatalf("Log(%v) = %v, want %v", y, got, want)
		}
	}
}

// TestExpAgainstSeries compares with the Taylor series in 200 bits, which
// shares nothing with package math.
func TestExpAgainstSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 500 {
		x := (rng.Float64() - 0.5) * 40
		sum := big.NewFloat(1).SetPrec(200)
		term := big.NewFloat(1).SetPrec(200)
		for n := 1; n < 200; n++ {
			term.Mul(term, big.NewFloat(x))
			term.Quo(term, big.NewFloat(float64(n)))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		if got := Exp(x); ulps(got, want) > 1 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		if got := Log(want); math.Abs(got-x) > 2e-15*max(1, math.Abs(x)) {
			t.Fatalf("Log(exp %v) = %v", x, got)
		}
	}
}

// TestExpAndLogSpecialCases has its own values: on amd64 math.Exp overflows too
// early and math.Log is wrong for subnormal numbers.
func TestExpAndLogSpecialCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ x, exp, log float64 }{
		{0, 1, -inf},
		{math.Copysign(0, -1), 1, -inf},
		{inf, inf, inf},
		{-inf, 0, nan},
		{nan, nan, nan},
		{1, math.E, 0},
		{-1, 1 / math.E, nan},
		{709.78, 1.7928227943945155e308, 6.564955062864165},
		{710, inf, 6.565264970035361},
		{-745, 5e-324, nan},
		{-746, 0, nan},
		{5e-324, 1, -744.4400719213812},
		{math.SmallestNonzeroFloat64 * 3, 1, -743.3414596327131},
		{math.MaxFloat64, inf, 709.782712893384},
	} {
		if got := Exp(c.x); ulps(got, c.exp) > 1 && !(math.IsNaN(got) && math.IsNaN(c.exp)) {
			t.Errorf("Exp(%v) = %v, want %v", c.x, got, c.exp)
		}
		if got := Log(c.x); ulps(got, c.log) > 1 && !(math.IsNaN(got) && math.IsNaN(c.log)) {
			t.Errorf("Log(%v) = %v, want %v", c.x, got, c.log)
		}
	}
}

// TestExpAndLogBits pins the bits, which have to be the same everywhere.
func TestExpAndLogBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	h := sha256.New()
	for range 10_000 {
		x := (rng.Float64() - 0.5) * 100
		binary.Write(h, binary.LittleEndian, Exp(x))
		binary.Write(h, binary.LittleEndian, Log(math.Abs(x)))
	}
	const want = "7d67a6694d427bc0ae6bd316690862dbc34e1b2c0bc7436b38e3a90f32489def"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func BenchmarkExp(b *testing.B) {
	x := 0.0
	for b.Loop() {
		x = Exp(-x)
	}
}

func BenchmarkLog(b *testing.B) {
	x := 1.5
	for b.Loop() {
		x = Log(x) + 2
	}
}
