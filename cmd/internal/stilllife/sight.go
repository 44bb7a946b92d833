package main

import "math"

// hit is a solid seen by a pixel.
type hit struct {
	solid *solid
	t     float64 // distance from the eye
	cover float64 // share of the pixel, 0..1
}

// maxHits bounds the solids that a pixel can see through soft borders.
const maxHits = 6

// sight is what a ray has met so far, nearest first.
type sight struct {
	list [maxHits]hit
	n    int
}

// widest is no less than the blur anywhere on the table.
const widest = 0.1

// look fills v with what the ray from the eye along d meets. A ray that passes
// a solid closer than its blur sees a part of it.
func (v *sight) look(d vec) {
	limit := math.Inf(1)
	for i := range solids {
		s := &solids[i]
		m := s.origin.sub(eye)
		b := m.dot(d)
		r := s.reach + widest
		disc := b*b - m.dot(m) + r*r
		if disc <= 0 {
			continue
		}
		half := math.Sqrt(disc)
		if b-half > limit {
			continue
		}
		limit = min(limit, s.march(d, b-half, b+half, blur(b), v))
	}
}

func (v *sight) insert(h hit) {
	at := v.n
	if v.n == maxHits {
		if at--; v.list[at].t <= h.t {
			return
		}
	} else {
		v.n++
	}
	for ; at > 0 && v.list[at-1].t > h.t; at-- {
		v.list[at] = v.list[at-1]
	}
	v.list[at] = h
}

// march walks the ray from distance t to end in steps of the distance to the
// solid, and returns where the solid ends the ray (infinity where it does not).
// The border counts as two blurs wide, centred on the true one; a ray that
// slips past a border, such as the rim of the bowl, sees a part of it and goes
// on.
func (s *solid) march(d vec, t, end, soft float64, seen *sight) float64 {
	inv := 1 / s.scale
	o := s.axes.local(eye.sub(s.origin)).mul(inv)
	l := s.axes.local(d)
	best, bestT := math.Inf(1), t
	for range 56 {
		u := t * inv
		dist := s.shape.distance(vec{o.x + l.x*u, o.y + l.y*u, o.z + l.z*u})*s.scale + soft
		if dist < best {
			best, bestT = dist, t
		} else if best < 2*soft && dist > 2.2*soft {
			seen.insert(hit{s, bestT, step(2*soft, 0.25*soft, best)})
			best = math.Inf(1)
		}
		if dist < 0.25*soft {
			seen.insert(hit{s, t, 1})
			return t
		}
		t += max(dist-0.2*soft, 0.1*soft)
		if t > end {
			break
		}
	}
	if cover := step(2*soft, 0.25*soft, best); cover > 0.004 {
		seen.insert(hit{s, bestT, cover})
	}
	return math.Inf(1)
}
