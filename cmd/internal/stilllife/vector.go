package main

import "math"

// vec is a point, a direction or a linear RGB colour.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec            { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(s float64) vec        { return vec{a.x * s, a.y * s, a.z * s} }
func (a vec) times(b vec) vec          { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) dot(b vec) float64        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) length() float64          { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec                { return a.mul(1 / a.length()) }
func (a vec) mix(b vec, t float64) vec { return a.add(b.sub(a).mul(t)) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

// reflect mirrors direction a at a surface with unit normal n.
func (a vec) reflect(n vec) vec { return a.sub(n.mul(2 * a.dot(n))) }

// frame is an orthonormal basis: the axes of a solid in world space.
type frame struct{ u, v, w vec }

// upright returns a frame whose v axis is the given direction, turned by turn
// radians about it.
func upright(axis vec, turn float64) frame {
	v := axis.unit()
	u := v.cross(vec{0, 0, 1}).unit()
	w := u.cross(v)
	s, c := math.Sincos(turn)
	return frame{u.mul(c).add(w.mul(s)), v, w.mul(c).sub(u.mul(s))}
}

func (f *frame) local(p vec) vec { return vec{p.dot(f.u), p.dot(f.v), p.dot(f.w)} }

func (f *frame) world(p vec) vec { return f.u.mul(p.x).add(f.v.mul(p.y)).add(f.w.mul(p.z)) }

// hypot is math.Hypot without its care for overflow, at a tenth of the time.
func hypot(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

func clamp(x float64) float64 { return min(max(x, 0), 1) }

// step rises smoothly from 0 at a to 1 at b; it falls where b < a.
func step(a, b, x float64) float64 {
	t := clamp((x - a) / (b - a))
	return t * t * (3 - 2*t)
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }
