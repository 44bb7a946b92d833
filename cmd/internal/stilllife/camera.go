package main

import "math"

// The camera: a short telephoto, a little above the table.
var (
	eye      = vec{0.25, 5.2, -14.2}
	lookAt   = vec{0.15, 1.45, 0}
	ahead    = lookAt.sub(eye).unit()
	right    = vec{0, 1, 0}.cross(ahead).unit()
	over     = ahead.cross(right)
	pixel    = 2 * math.Tan(14.2*math.Pi/180) / height // size of a pixel at distance 1
	focus    = 13.9                                    // distance in focus
	aperture = 0.13                                    // radius of blur, per unit, far behind the focus
)

// ray returns the unit direction through the middle of pixel (x, y).
func ray(x, y int) vec {
	sx := (float64(x) + 0.5 - width/2) * pixel
	sy := (height/2 - float64(y) - 0.5) * pixel
	return ahead.add(right.mul(sx)).add(over.mul(sy)).unit()
}

// blur is the radius in scene units, at distance t from the eye, of what one
// pixel sees: half a pixel, or the circle of confusion where that is larger.
func blur(t float64) float64 {
	return hypot(0.6*pixel*t, aperture*math.Abs(t-focus)/focus)
}
