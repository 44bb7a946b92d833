package sample

import "math"

// Units: one unit is about four centimetres. y is up, the table top is y = 0,
// x goes right and z away from the camera.

// solid is one object of the still life.
type solid struct {
	shape  shape
	class  uint8
	kind   material
	origin vec
	scale  float64
	axes   frame
	reach  float64 // radius of a ball about origin that holds the solid
	seed   vec     // moves the solid into its own part of the noise
}

var bowlAt = vec{-1.35, 2.57, 1.3}

// inBowl places something relative to the centre of the bowl's sphere.
func inBowl(x, y, z float64) vec { return bowlAt.add(vec{x, y, z}) }

var solids = makeSolids()

func makeSolids() []solid {
	fruit := func(s shape, class uint8, kind material, at vec, scale float64, axis vec, turn float64) solid {
		reach := 1.05
		switch s {
		case pearShape:
			reach = 1.45
		case stalkShape:
			reach = 1.2
		}
		return solid{s, class, kind, at, scale, upright(axis, turn), reach * scale, vec{at.x * 7.3, at.y * 5.1, at.z * 3.7}}
	}
	var list []solid
	apples := []struct {
		at, axis    vec
		scale, turn float64
		kind        material
	}{
		{vec{2.15, 0.93, -1.3}, vec{0.16, 1, -0.30}, 1.06, 0.4, redApple},
		{inBowl(0.05, 0.62, 0.05), vec{-0.22, 1, -0.42}, 1.0, 2.1, redApple},
		{inBowl(0.25, -0.52, 1.28), vec{0.5, 1, 0.2}, 0.95, 1.0, redApple},
	}
	for _, a := range apples {
		list = append(list, fruit(appleShape, classApple, a.kind, a.at, a.scale, a.axis, a.turn))
		f := upright(a.axis, a.turn)
		foot := a.at.add(f.world(vec{0, 0.40 * a.scale, 0}))
		list = append(list, fruit(stalkShape, classApple, wood, foot, 0.62*a.scale, a.axis, a.turn+2.4))
	}
	for _, o := range []struct {
		at, axis    vec
		scale, turn float64
	}{
		{inBowl(-1.06, -0.92, -0.38), vec{-0.7, 1, -0.9}, 0.97, 0},
		{inBowl(0.97, -0.92, -0.55), vec{0.9, 0.6, -0.2}, 0.98, 1},
		{vec{-3.75, 0.86, -1.75}, vec{0.55, 0.8, -0.62}, 0.92, 2},
	} {
		list = append(list, fruit(orangeShape, classOrange, orange, o.at, o.scale, o.axis, o.turn))
	}
	pearAxis := vec{0.10, 1, -0.05}
	pearAt := vec{3.55, 1.13, 0.9}
	list = append(list, fruit(pearShape, classPear, pearSkin, pearAt, 1.13, pearAxis, 0.6))
	f := upright(pearAxis, 0.6)
	list = append(list, fruit(stalkShape, classPear, wood, pearAt.add(f.world(vec{0.17, 1.28, 0})), 0.62, vec{0.3, 1, -0.1}, 0.9))
	list = append(list, solid{bowlShape, classBowl, glaze, bowlAt, 1, upright(vec{0, 1, 0}, 0), bowlRadius + 0.1, vec{}})
	return list
}

// The camera: a short telephoto, a little above the table.
var (
	eye      = vec{0.25, 5.2, -14.2}
	lookAt   = vec{0.15, 1.45, 0}
	ahead    = lookAt.sub(eye).unit()
	right    = vec{0, 1, 0}.cross(ahead).unit()
	over     = ahead.cross(right)
	pixel    = 2 * math.Tan(14.2*math.Pi/180) / Height // size of a pixel at distance 1
	focus    = 14.0                                    // distance in focus
	aperture = 0.085                                   // radius of blur, per unit, far behind the focus
)

// ray returns the unit direction through the middle of pixel (x, y).
func ray(x, y int) vec {
	sx := (float64(x) + 0.5 - Width/2) * pixel
	sy := (Height/2 - float64(y) - 0.5) * pixel
	return ahead.add(right.mul(sx)).add(over.mul(sy)).unit()
}

// blur is the radius in scene units, at distance t from the eye, of what one
// pixel sees: half a pixel, or the circle of confusion where that is larger.
func blur(t float64) float64 {
	return math.Hypot(0.6*pixel*t, aperture*math.Abs(t-focus)/focus*1.0)
}

// hit is a solid seen by a pixel.
type hit struct {
	solid *solid
	t     float64 // distance from the eye
	cover float64 // share of the pixel, 0..1
}

// maxHits bounds the solids that a pixel can see through soft borders.
const maxHits = 6

// hits lists what the ray from the eye along d meets, nearest first. A ray that
// passes a solid closer than its blur sees a part of it.
func hits(d vec, list *[maxHits]hit) int {
	n := 0
	limit := math.Inf(1)
	for i := range solids {
		s := &solids[i]
		m := s.origin.sub(eye)
		b := m.dot(d)
		soft := blur(b)
		r := s.reach + soft
		disc := b*b - m.dot(m) + r*r
		if disc <= 0 {
			continue
		}
		half := math.Sqrt(disc)
		if b-half > limit {
			continue
		}
		h, ok := s.march(d, b-half, b+half, soft)
		if !ok {
			continue
		}
		at := n
		if n == maxHits {
			at--
		} else {
			n++
		}
		for at > 0 && list[at-1].t > h.t {
			if at < maxHits {
				list[at] = list[at-1]
			}
			at--
		}
		list[at] = h
		if h.cover >= 0.999 {
			limit = min(limit, h.t+0.3)
		}
	}
	return n
}

// march walks the ray from distance t to end in steps of the distance to the
// solid. The solid counts as shrunk by half the blur and the border as one blur
// wide, so the soft border is centred on the true one.
func (s *solid) march(d vec, t, end, soft float64) (hit, bool) {
	o := s.axes.local(eye.sub(s.origin)).mul(1 / s.scale)
	l := s.axes.local(d)
	inv := 1 / s.scale
	best, bestT := math.Inf(1), t
	for range 48 {
		u := t * inv
		dist := s.shape.distance(vec{o.x + l.x*u, o.y + l.y*u, o.z + l.z*u})*s.scale + soft
		if dist < best {
			best, bestT = dist, t
		}
		if dist < 0.25*soft {
			break
		}
		t += max(dist-0.2*soft, 0.1*soft)
		if t > end {
			break
		}
	}
	cover := step(2*soft, 0.25*soft, best)
	return hit{s, bestT, cover}, cover > 0.004
}
