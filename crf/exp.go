package crf

import "math"

// The reductions and minimax coefficients are those of FreeBSD's msun
// (e_exp.c and e_log.c, Sun Microsystems 1993), which claims an error below
// one unit in the last place for both.
const (
	ln2Hi   = 6.93147180369123816490e-01
	ln2Lo   = 1.90821492927058770002e-10
	log2E   = 1.44269504088896338700e+00
	expHigh = 7.09782712893383973096e+02
	expLow  = -7.45133219101941108420e+02
)

// Exp is e**x with the same bits on every machine and build: math.Exp uses
// assembly on some processors and fused multiply-adds on others. The error is
// below 2 ulp.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > expHigh:
		return math.Inf(1)
	case x < expLow:
		return 0
	}
	// x = k·ln 2 + r with |r| ≤ ln 2 / 2, and r = hi - lo to more than 53 bits.
	k := math.Floor(float64(log2E*x) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	const (
		p1 = 1.66666666666666019037e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	c := p4 + float64(t*p5)
	c = p3 + float64(t*c)
	c = p2 + float64(t*c)
	c = p1 + float64(t*c)
	c = r - float64(t*c)
	y := 1 - ((lo - float64(float64(r*c)/(2-c))) - hi)
	return math.Ldexp(y, int(k))
}

// Log is the natural logarithm of x with the same bits on every machine and
// build, with the special cases of math.Log. The error is below 2 ulp.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// x = 2**k · (1+f) with √½ ≤ 1+f < √2.
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f := m - 1
	k := float64(e)
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := l5 + float64(s4*l7)
	odd = l3 + float64(s4*odd)
	odd = float64(s2 * (l1 + float64(s4*odd)))
	even := l4 + float64(s4*l6)
	even = float64(s4 * (l2 + float64(s4*even)))
	r := odd + even
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}
