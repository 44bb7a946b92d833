package main

import "math"

// The room: a tall window to the left, slightly behind the camera's subject,
// is the only strong light. Everything else is light that the window has lent
// to walls, ceiling and table.
var (
	window     = vec{-13, 9.2, 1.5} // middle of the window, in a wall of constant x
	windowTall = 4.4                // half heights and widths
	windowWide = 3.3
	windowBall = 3.0 // radius of the ball that lights like it

	daylight = vec{2.45, 2.42, 2.36}
	fill     = vec{0.165, 0.17, 0.185} // from the whole room
	leftFill = vec{0.17, 0.18, 0.20}   // more of it from the window's side
	bounce   = vec{0.34, 0.25, 0.17}   // from the lit table, upwards
)

// ball stands in for a solid where it shades or colours others.
type ball struct {
	owner  *solid
	at     vec
	radius float64
	colour vec // light it sends on
}

var balls = makeBalls()

func makeBalls() []ball {
	var list []ball
	for i := range solids {
		s := &solids[i]
		at := func(x, y, z, r float64, c vec) {
			list = append(list, ball{s, s.origin.add(s.axes.world(vec{x, y, z}).mul(s.scale)), r * s.scale, c})
		}
		switch s.shape {
		case orangeShape:
			at(0, 0, 0, 0.97, vec{0.30, 0.12, 0.015})
		case appleShape:
			at(0, 0.02, 0, 0.94, vec{0.22, 0.05, 0.02})
		case pearShape:
			at(0, -0.22, 0, 0.80, vec{0.26, 0.22, 0.05})
			at(0.04, 0.4, 0, 0.55, vec{0.26, 0.22, 0.05})
			at(0.12, 0.95, 0, 0.33, vec{0.26, 0.22, 0.05})
		case jugShape:
			at(0, 0, 0, 1, vec{0.3, 0.28, 0.25})
			at(0, 1.1, 0, 0.52, vec{0.3, 0.28, 0.25})
		}
	}
	return list
}

// light is what reaches a point of a surface.
type light struct {
	direct  vec     // from the window, after the cosine
	ambient vec     // from everywhere else
	open    float64 // share of the surroundings not hidden by neighbours
}

// gather collects the light at p with unit normal n. Solids near the point
// count as balls (cones against the cone of the window, and solid angles
// against the open room); the bowl is met exactly by a few rays.
func gather(p, n vec, owner *solid) light {
	toWindow := window.sub(p)
	far := toWindow.length()
	l := toWindow.mul(1 / far)
	spread := windowBall / far

	open, seen := 1.0, 1.0
	var lent vec
	for i := range balls {
		b := &balls[i]
		if b.owner == owner {
			continue
		}
		m := b.at.sub(p)
		d2 := m.dot(m)
		r2 := b.radius * b.radius
		if d2 > 40*r2 {
			// Too far to matter for the ambient; it may still cast a shadow.
			if a := m.dot(l); a > 0 {
				reach := b.radius + spread*a
				if d2-a*a < reach*reach {
					seen *= 1 - eclipse(m, math.Sqrt(d2), b.radius, l, spread)
				}
			}
			continue
		}
		d := math.Sqrt(d2)
		up := m.dot(n) / d
		if up > -0.3 {
			share := clamp((up+0.3)/1.3) * min(r2/d2, 1)
			open *= 1 - share
			lent = lent.add(b.colour.mul(share))
		}
		if a := m.dot(l); a > 0 {
			reach := b.radius + spread*a
			if d2-a*a < reach*reach {
				seen *= 1 - eclipse(m, d, b.radius, l, spread)
			}
		}
	}
	direct := facing(n.dot(l), spread)
	if direct > 0 && seen > 0 {
		seen *= pastBowl(p, l, far)
	}
	open *= openBowl(p, n, owner)

	fall := 205 / (far * far)
	sky := fill.add(leftFill.mul(clamp(0.5 - 0.6*n.x)))
	sky = sky.mul(0.72 + 0.28*n.y)
	warm := bounce.mul(clamp(0.5-0.5*n.y) / (1 + 0.25*p.y))
	return light{
		direct:  daylight.mul(direct * seen * fall),
		ambient: sky.add(warm).mul(open).add(lent.mul(0.55)),
		open:    open,
	}
}

// facing is the cosine law for a light of angular radius spread: it fades
// out over the terminator instead of ending at it.
func facing(cos, spread float64) float64 {
	switch {
	case cos > spread:
		return cos
	case cos > -spread:
		return (cos + spread) * (cos + spread) / (4 * spread)
	}
	return 0
}

// eclipse is the share of the window, a disc of angular radius spread about l,
// that a ball at m (distance d) hides.
func eclipse(m vec, d, radius float64, l vec, spread float64) float64 {
	size := math.Pi / 2
	if d > radius {
		size = math.Asin(radius / d)
	}
	angle := math.Acos(min(m.dot(l)/d, 1))
	full := min(1, size*size/(spread*spread))
	return full * step(size+spread, math.Abs(size-spread), angle)
}

// pastBowl is the share of the window that the bowl leaves visible from p:
// twelve rays against the shell, each with a soft edge.
func pastBowl(p, l vec, far float64) float64 {
	m := p.sub(bowlAt)
	b := m.dot(l)
	reach := bowlRadius + windowBall*max(-b, 0)/far
	if m.dot(m)-b*b > reach*reach || (b > 0 && m.dot(m) > bowlRadius*bowlRadius) {
		return 1
	}
	hidden := 0.0
	for i := range 12 {
		// The window's own plane, three by four.
		w := window
		w.z += windowWide * (float64(i%3) - 1) * 0.67
		w.y += windowTall * (float64(i/3) - 1.5) * 0.5
		d := w.sub(p).unit()
		b, c := m.dot(d), m.dot(m)-bowlRadius*bowlRadius*0.985
		disc := b*b - c
		if disc <= -0.6 {
			continue
		}
		edge := step(-0.6, 0.6, disc)
		root := math.Sqrt(max(disc, 0))
		block := 0.0
		if t := -b - root; t > 0.05 {
			block = step(0.25, -0.25, m.y+d.y*t-bowlRim)
		}
		if t := -b + root; t > 0.12 {
			block = max(block, step(0.25, -0.25, m.y+d.y*t-bowlRim))
		}
		hidden += block * edge
	}
	return 1 - hidden/12
}

// openBowl is the share of the room's light that the bowl lets through to p.
func openBowl(p, n vec, owner *solid) float64 {
	m := p.sub(bowlAt)
	r2 := m.dot(m)
	if r2 < bowlRadius*bowlRadius*0.99 {
		depth := bowlRim + 0.25 - m.y
		return 1 - 0.8*step(-0.2, 1.7, depth)
	}
	if owner != nil && owner.shape == bowlShape {
		// The outside: it stands on the table, which hides light low down.
		return 0.45 + 0.55*step(0, 1.3, p.y+0.6*n.y)
	}
	toward := -m.dot(n) / math.Sqrt(r2)
	return 1 - 0.92*clamp(toward+0.12)*min(1, bowlRadius*bowlRadius/r2)*step(2.2, -1, p.y-bowlAt.y)
}

// mirror is the light that a surface of the given roughness at p throws
// towards the eye from direction r: the panes of the window, and the room.
func mirror(p, r vec, roughness, open float64) vec {
	// The wall behind, lighter towards the window, and the table.
	tone := 0.10 + 0.22*clamp(0.5-0.5*r.x) + 0.10*clamp(r.y)
	room := vec{tone, tone * 0.98, tone * 0.98}
	table := vec{0.085, 0.05, 0.028}
	c := table.mix(room, step(-0.15-roughness, 0.1+roughness, r.y)).mul(open)
	if r.x < -0.05 {
		t := (window.x - p.x) / r.x
		y := math.Abs(p.y + r.y*t - window.y)
		z := p.z + r.z*t - window.z
		soft := 0.25 + roughness*t*0.7
		pane := step(windowTall+soft, windowTall-soft, y) * step(windowWide+soft, windowWide-soft, math.Abs(z))
		if pane > 0 {
			bar := step(0.16+soft, 0.16-soft, math.Abs(z)) + step(0.16+soft, 0.16-soft, math.Abs(y-1.2))
			pane *= 1 - 0.75*min(bar, 1)*min(1, 0.32/soft)
			size := windowTall / (windowTall + soft) // energy spreads out as the image blurs
			c = c.add(vec{14, 14.3, 14.6}.mul(pane * size * size * open))
		}
	}
	return c
}

// reflected adds the neighbours to what a flat surface mirrors: the share of
// the cone about r that each ball fills.
func reflected(p, r vec, spread float64, c vec) vec {
	for i := range balls {
		b := &balls[i]
		m := b.at.sub(p)
		a := m.dot(r)
		if a <= 0 {
			continue
		}
		d2 := m.dot(m)
		reach := b.radius + spread*a
		if d2-a*a > reach*reach {
			continue
		}
		c = c.mix(b.colour.mul(0.8), eclipse(m, math.Sqrt(d2), b.radius, r, spread))
	}
	return c
}
