package main

import "math"

// shape is the form of a solid in its own frame: y along its axis, unit size.
type shape uint8

const (
	orangeShape shape = iota
	appleShape
	pearShape
	stalkShape
	jugShape
	bowlShape
)

// Measures of the bowl: a cut spherical shell on a foot ring, its middle plane
// at the origin of its frame.
const (
	bowlRadius = 2.5   // outer radius of the shell
	bowlWall   = 0.09  // thickness of the shell
	bowlRim    = -0.72 // height of the rim
)

// reach is the radius of a ball about the origin that holds the shape.
func (s shape) reach() float64 {
	switch s {
	case pearShape:
		return 1.45
	case stalkShape:
		return 1.2
	case jugShape:
		return 1.95
	case bowlShape:
		return bowlRadius + 0.3
	}
	return 1.12
}

// distance is (a close lower bound of) the signed distance from p to the
// surface of the shape; see J. C. Hart, 'Sphere tracing', The Visual Computer
// 12 (1996).
func (s shape) distance(p vec) float64 {
	q := math.Sqrt(p.x*p.x + p.z*p.z)
	switch s {
	case orangeShape:
		y := p.y * 1.06
		d := math.Sqrt(q*q+y*y) - 1
		return (d + 0.035*math.Exp(-14*q*q)*step(0.5, 0.8, p.y)) * 0.94
	case appleShape:
		return appleBody(p, q)
	case pearShape:
		return pear(p, q)
	case stalkShape:
		return stalk(p)
	case jugShape:
		return jug(p, q)
	default:
		return bowl(q, p.y)
	}
}

// appleBody is a spindle torus, tapered towards the calyx, with five faint lobes.
func appleBody(p vec, q float64) float64 {
	y := p.y * 0.90
	taper := 1 + 0.13*y
	c := 0.0
	if q > 1e-6 {
		// cos 2φ and cos 5φ without the angle.
		x, z := p.x/q, p.z/q
		x2 := x*x - z*z
		x4, z4 := x2*x2-4*x*x*z*z, 4*x*z*x2
		c = (0.010*(x4*x-z4*z)*step(0.6, -0.8, y) + 0.018*x2) * step(0, 0.5, q)
	}
	q = q/taper - c
	d := hypot(q-0.28, y) - 0.72
	if q < 0.5 && y > 0 {
		d += 0.16 * math.Exp(-26*q*q) // the hollow of the stalk is the deeper one
	}
	return d * 0.8
}

// pear joins a large low ball and a small high one.
func pear(p vec, _ float64) float64 {
	bend := 0.10 * (p.y + 0.2) * max(p.y+0.2, 0)
	x := p.x - bend
	q := math.Sqrt(x*x + p.z*p.z)
	a := hypot(q, (p.y+0.22)*1.02) - 0.80
	b := hypot(q, p.y-0.93) - 0.34
	d := blend(a, b, 0.62)
	d += 0.10 * math.Exp(-22*q*q) * step(0.9, 1.2, p.y) // hollow of the stalk
	return d * 0.85
}

// stalk is a bent, thickening twig from the origin to y = 1.
func stalk(p vec) float64 {
	t := clamp(p.y)
	x := p.x - 0.28*t*t
	z := p.z + 0.08*t
	r := 0.055 + 0.05*t*t*t*t + 0.03*(1-t)*(1-t)
	return (math.Sqrt(x*x+z*z+(p.y-t)*(p.y-t)) - r) * 0.8
}

// jug is a round body, a neck with a lip, and a handle; it stands on y = -1.
func jug(p vec, q float64) float64 {
	body := (hypot(q, p.y*0.92) - 1.02) * 0.95
	flare := 0.44 + 0.10*(p.y-1.25)*(p.y-1.25)
	neck := hypot(max(math.Abs(q-flare)-0.01, 0), max(math.Abs(p.y-1.2)-0.58, 0)) - 0.05
	d := max(blend(body, neck, 0.5), -1-p.y)
	ring := hypot(p.x-0.62, (p.y-0.98)*0.86) - 0.52
	return blend(d, max(hypot(ring, p.z)-0.10, 0.40-p.x), 0.12) * 0.85
}

// blend is the union of two solids with the joint rounded over width k.
func blend(a, b, k float64) float64 {
	h := max(k-math.Abs(a-b), 0) / k
	return min(a, b) - h*h*k*0.25
}

func bowl(q, y float64) float64 {
	// Distance to the middle of the shell, below the rim; else to the rim.
	const mid = bowlRadius - bowlWall
	var d float64
	rimQ := math.Sqrt(mid*mid - bowlRim*bowlRim)
	if r := math.Sqrt(q*q + y*y); y*rimQ < bowlRim*q {
		d = math.Abs(r-mid) - bowlWall
	} else {
		d = hypot(q-rimQ, y-bowlRim) - bowlWall
	}
	fq := math.Abs(q-1.02) - 0.07
	fy := math.Abs(y+2.39) - 0.11
	foot := hypot(max(fq, 0), max(fy, 0)) + min(max(fq, fy), 0) - 0.03
	return blend(d, foot, 0.12)
}

// normal is the gradient of the distance by the four-point tetrahedron
// difference of step e.
func (s shape) normal(p vec, e float64) vec {
	a := s.distance(vec{p.x + e, p.y - e, p.z - e})
	b := s.distance(vec{p.x - e, p.y - e, p.z + e})
	c := s.distance(vec{p.x - e, p.y + e, p.z - e})
	d := s.distance(vec{p.x + e, p.y + e, p.z + e})
	return vec{a - b - c + d, -a - b + c + d, -a + b - c + d}.unit()
}
