package main

import "math"

// hash scrambles three integers into 32 well-mixed bits (the finaliser of
// MurmurHash3 over a linear combination by large odd constants).
func hash(x, y, z int32) uint32 {
	h := uint32(x)*0x9E3779B1 ^ uint32(y)*0x85EBCA77 ^ uint32(z)*0xC2B2AE3D
	h ^= h >> 16
	h *= 0x85EBCA6B
	h ^= h >> 13
	h *= 0xC2B2AE35
	return h ^ h>>16
}

func unitHash(x, y, z int32) float64 { return float64(hash(x, y, z)) * (1.0 / (1 << 32)) }

func split(x float64) (cell int32, rest float64) {
	i := int32(x)
	if float64(i) > x {
		i--
	}
	return i, x - float64(i)
}

func fade(t float64) float64 { return t * t * (3 - 2*t) }

// noise2 is value noise of the plane, smooth, in -1..1, with features about one
// unit wide. Layers with different seeds are independent.
func noise2(x, y float64, seed int32) float64 {
	i, u := split(x)
	j, v := split(y)
	u, v = fade(u), fade(v)
	a := lerp(unitHash(i, j, seed), unitHash(i+1, j, seed), u)
	b := lerp(unitHash(i, j+1, seed), unitHash(i+1, j+1, seed), u)
	return 2*lerp(a, b, v) - 1
}

// noise3 is value noise of space, in -1..1.
func noise3(p vec) float64 {
	i, u := split(p.x)
	j, v := split(p.y)
	k, w := split(p.z)
	u, v, w = fade(u), fade(v), fade(w)
	a := lerp(unitHash(i, j, k), unitHash(i+1, j, k), u)
	b := lerp(unitHash(i, j+1, k), unitHash(i+1, j+1, k), u)
	c := lerp(unitHash(i, j, k+1), unitHash(i+1, j, k+1), u)
	d := lerp(unitHash(i, j+1, k+1), unitHash(i+1, j+1, k+1), u)
	return 2*lerp(lerp(a, b, v), lerp(c, d, v), w) - 1
}

// cloud2 sums octaves of noise2, each half as strong and twice as fine, turned
// so that the lattices do not line up.
func cloud2(x, y float64, octaves int, seed int32) float64 {
	sum, amp := 0.0, 0.5
	for o := range octaves {
		sum += amp * noise2(x, y, seed+int32(o))
		x, y = 1.6*x+1.2*y+3.7, 1.6*y-1.2*x+1.3
		amp /= 2
	}
	return sum
}

// speck scatters round spots over space, at most one in each unit cell: it
// returns how deep p is inside the spot of its cell (1 in the middle, 0
// outside), for spots of the given largest radius (at most 0.5).
func speck(p vec, radius float64) float64 {
	i, u := split(p.x)
	j, v := split(p.y)
	k, w := split(p.z)
	h := hash(i, j, k)
	r := radius * (0.35 + 0.65*float64(h>>24)/255)
	d := vec{
		u - r - (1-2*r)*float64(h&255)/255,
		v - r - (1-2*r)*float64(h>>8&255)/255,
		w - r - (1-2*r)*float64(h>>16&255)/255,
	}
	return step(1, 0, math.Sqrt(d.dot(d))/r)
}
