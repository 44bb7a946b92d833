package main

import "math"

const (
	tableEnd  = 7.5  // where the table stops, towards the wall
	edgeSlope = 0.05 // of that edge, which does not lie square to the camera
	wallAt    = 15.0
)

// napkin is the frame of the cloth on the table: its middle and its turn.
var napkin = struct{ x, z, sin, cos, halfU, halfV float64 }{-2.0, -0.6, math.Sin(0.42), math.Cos(0.42), 3.3, 2.7}

// clothAt gives the coordinates of table point (x, z) in the cloth, and how far
// inside the cloth's border it is (negative outside).
func clothAt(x, z float64) (u, v, inside float64) {
	x, z = x-napkin.x, z-napkin.z
	u = x*napkin.cos + z*napkin.sin
	v = z*napkin.cos - x*napkin.sin
	wave := 0.07*noise2(u*0.9, v*0.9, 31) + 0.03*noise2(u*2.3, v*2.3, 32)
	u, v = u+wave, v-wave
	a, b := napkin.halfU-math.Abs(u), napkin.halfV-math.Abs(v)
	inside = min(a, b)
	const k = 0.3 // rounds the corners a little
	if h := k - math.Abs(a-b); h > 0 {
		inside -= h * h / (4 * k) * 0.5
	}
	return u, v, inside
}

// clothHeight is the height of the cloth over the table: folds that run out
// from under the bowl, and creases from ironing.
func clothHeight(u, v, inside float64) float64 {
	f := noise2(u*0.55+0.35*v, v*0.5-0.2*u, 41)
	g := noise2(u*1.3-0.6*v+0.8*f, v*0.7+0.3*u, 42)
	h := 0.30*(1-math.Sqrt(f*f+0.006)) + 0.12*(1-math.Sqrt(g*g+0.01))
	h = 0.04 + 0.75*h*h
	h += 0.035*bell((u-0.4)/0.09) + 0.022*bell((v+0.2)/0.08)
	return max(h, 0.03) * step(-0.02, 0.35, inside)
}

// bell is a bump of height 1 and half width about 1.
func bell(x float64) float64 {
	x = 1 + x*x
	return 1 / (x * x)
}

// ground finds where the ray along d meets the table or the cloth on it.
func ground(d vec) (t float64, cloth bool, u, v, inside float64) {
	t = -eye.y / d.y
	p := eye.add(d.mul(t))
	u, v, inside = clothAt(p.x, p.z)
	if inside < -1.2 {
		return t, false, u, v, inside
	}
	tt := t
	for range 4 {
		h := clothHeight(u, v, inside)
		tt = (h - eye.y) / d.y
		p = eye.add(d.mul(tt))
		u, v, inside = clothAt(p.x, p.z)
	}
	if inside > 0 {
		return tt, true, u, v, inside
	}
	p = eye.add(d.mul(t))
	u, v, inside = clothAt(p.x, p.z)
	return t, false, u, v, inside
}

// roomClass is the class of what room shows along d.
func roomClass(d vec) uint8 {
	if d.y >= 0 || eye.z-eye.y/d.y*(d.z-edgeSlope*d.x) > tableEnd {
		return classBackground
	}
	if _, cloth, _, _, _ := ground(d); cloth {
		return classCloth
	}
	return classTable
}

// room returns the light that comes along d from the table or the wall.
func room(d vec) vec {
	if d.y >= -1e-4 {
		return wall(d)
	}
	t := -eye.y / d.y
	z := eye.z + d.z*t - edgeSlope*d.x*t
	// The far edge of the table, out of focus.
	soft := blur(t) / math.Abs(d.y) * 1.2
	on := step(tableEnd+soft, tableEnd-soft, z)
	if on == 0 {
		return wall(d)
	}
	tt, cloth, u, v, inside := ground(d)
	p := eye.add(d.mul(tt))
	var c vec
	if cloth {
		c = linen(p, d, tt, u, v, inside)
		if border := 2 * pixel * tt / math.Abs(d.y); inside < border {
			q := eye.add(d.mul(t))
			c = planks(q, d, t, inside).mix(c, step(0, border, inside))
		}
	} else {
		c = planks(p, d, tt, inside)
	}
	if on < 1 {
		c = wall(d).mix(c, on)
	}
	return c
}

// wall is a plastered wall far behind the focus, lit from the left.
func wall(d vec) vec {
	t := (wallAt - eye.z) / d.z
	p := eye.add(d.mul(t))
	m := cloud2(p.x*0.22, p.y*0.22, 3, 51) + 0.25*noise2(p.x*0.9, p.y*0.9, 55)
	// The window lights the wall at a slant; the reveal leaves a soft edge.
	slant := p.x + 0.35*(p.y-4)
	glow := 0.12 + 0.66*step(10, -11, slant)
	glow *= 0.75 + 0.25*step(-7, 3, p.y)
	patch := step(2.2, 0.2, math.Abs(slant+5.2)) * step(-2, 2, p.y)
	glow += 0.14 * patch
	tint := vec{0.37, 0.35, 0.31}.mix(vec{0.35, 0.365, 0.36}, clamp(1.4*glow))
	return tint.mul(glow * (1 + 0.16*m))
}

// keep fades detail of the given frequency out where a footprint f is too wide
// to show it.
func keep(frequency, f float64) float64 {
	x := 2 * frequency * f
	x *= x
	return 1 / (1 + x*x)
}

// planks is the table top: old boards, oiled.
func planks(p, d vec, t, inside float64) vec {
	// The boards run away from the camera, at a slant.
	const sin, cos = 0.3827, 0.9239
	a := p.x*cos - p.z*sin // across the boards
	b := p.x*sin + p.z*cos // along them
	foot := blur(t)
	footA := hypot(foot*cos, foot*sin/math.Abs(d.y))
	const wide = 1.95
	cell, rest := split(a/wide + 0.37)
	rest = (rest - 0.5) * wide
	shift := float64(cell) * 7.31
	tint := unitHash(cell, 3, 9)

	// The rings of the tree, cut lengthwise, bend around knots.
	bend := cloud2(b*0.16+shift, a*0.5, 2, 11)
	ring := a*4.6 + 4.2*bend + 0.35*noise2(b*0.5, a*2, 15)
	knot := 0.0
	if h := hash(cell, 5, 2); h&3 != 0 {
		kb := b + 6 - 9*float64(h>>8&255)/255
		ka := rest - 0.35*(float64(h>>16&255)/255-0.5)
		knot = bell(hypot(kb*1.3, ka*2.2))
		ring += 3.2 * math.Sqrt(knot) * math.Copysign(1, ka) * step(0, 0.3, math.Abs(ka))
	}
	_, saw := split(ring)
	late := step(0.2, 0.9, saw) * step(1, 0.9, saw)
	grain := noise2(b*0.9+shift, a*13, 12) * keep(13, footA)
	fibre := noise2(b*2.2+shift, a*38, 13) * keep(38, footA)
	pore := step(0.45, 0.9, noise2(b*3.1+shift, a*52, 14)) * keep(52, footA)
	blotch := cloud2(p.x*0.45, p.z*0.45, 3, 17)

	c := vec{0.200, 0.108, 0.056}.mix(vec{0.285, 0.170, 0.092}, tint)
	c = c.mul(1 - 0.26*late*keep(5, footA) + 0.16*grain + 0.14*fibre - 0.40*pore + 0.26*blotch - 0.60*step(0.55, 0.95, knot))
	// The gap between two boards, with rounded edges.
	edge := wide/2 - math.Abs(rest)
	gap := step(0.045+footA*0.7, 0.015-footA*0.7, edge)
	c = c.mul(1 - 0.9*gap*min(1, 0.06/(footA+0.02)))
	n := vec{0.010*fibre + 0.012*grain, 1, 0.012 * noise2(b*0.8, a*3, 16)}
	if edge < 0.12 {
		n.x += 0.25 * math.Copysign(step(0.12, 0.02, edge), rest) * cos
	}
	n = n.unit()
	l := gather(p, n, nil)
	// The napkin's shadow: it lies to the window's far side.
	if inside > -0.5 {
		_, _, nearer := clothAt(p.x-0.22, p.z)
		l.direct = l.direct.mul(1 - 0.7*step(-0.12, 0.16, nearer))
		near := step(0.35, 0, -inside)
		l.ambient = l.ambient.mul(1 - 0.45*near)
	}
	c = c.times(l.direct.add(l.ambient))
	r := d.reflect(n)
	f := 1 + d.dot(n)
	f2 := f * f
	rough := 0.24 - 0.05*grain + 0.05*blotch
	fresnel := (0.04 + 0.96*f2*f2*f) * 0.62 * (1 - 0.5*pore - 0.8*gap)
	return c.add(reflected(p, r, rough, mirror(p, r, rough, l.open)).mul(fresnel))
}

// linen is the napkin: a plain weave with a hem and two stripes.
func linen(p, d vec, t, u, v, inside float64) vec {
	const e = 0.03
	h := clothHeight(u, v, inside)
	hu := (clothHeight(u+e, v, inside) - h) / e
	hv := (clothHeight(u, v+e, inside) - h) / e
	n := vec{-hu*napkin.cos + hv*napkin.sin, 1, -hu*napkin.sin - hv*napkin.cos}
	foot := blur(t)
	warp := noise2(u*5, v*44, 61)*keep(44, foot/math.Abs(d.y)*0.5) + 0.7*noise2(u*44, v*5, 62)*keep(44, foot)
	slub := cloud2(u*3, v*3, 2, 63)
	n = n.add(vec{0.05 * warp, 0, 0.05 * slub}).unit()
	c := vec{0.56, 0.53, 0.47}.mul(1 + 0.14*warp + 0.12*slub)
	// Two woven stripes along the border, and the stitched hem.
	from := math.Abs(inside - 0.62)
	stripe := step(0.055, 0.035, from) + 0.8*step(0.022, 0.010, math.Abs(from-0.11))
	c = c.mix(vec{0.15, 0.19, 0.27}.mul(1+0.25*warp), 0.85*clamp(stripe))
	c = c.mul(1 - 0.18*step(0.03, 0, math.Abs(inside-0.24)))
	l := gather(p, n, nil)
	crease := clamp(0.55 + 2.6*h)
	return c.times(l.direct.add(l.ambient.mul(0.6 + 0.4*crease)))
}
