package main

import "slices"

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

// solids is the still life, but for the napkin.
var solids = slices.Concat(
	apple(vec{2.15, 0.90, -1.3}, 1.08, vec{0.16, 1, -0.20}, 0.4),
	apple(inBowl(-0.02, 0.52, 0), 0.98, vec{-0.22, 1, -0.32}, 2.1),
	apple(inBowl(0.25, -0.52, 1.28), 0.95, vec{0.5, 1, 0.2}, 1),
	[]solid{
		place(orangeShape, classOrange, peel, inBowl(-1.06, -0.92, -0.38), 0.97, vec{-0.7, 1, -0.9}, 0),
		place(orangeShape, classOrange, peel, inBowl(0.97, -0.92, -0.55), 0.98, vec{0.9, 0.6, -0.2}, 1),
		place(orangeShape, classOrange, peel, vec{-3.75, 0.86, -1.75}, 0.92, vec{0.55, 0.8, -0.62}, 2),
		place(pearShape, classPear, pearSkin, vec{3.55, 1.13, 0.9}, 1.13, vec{0.10, 1, -0.05}, 0.6),
		place(stalkShape, classPear, bark, vec{3.82, 2.39, 0.93}, 0.62, vec{0.3, 1, -0.1}, 0.9),
		place(jugShape, classJug, stoneware, vec{1.95, 1.42, 5.6}, 1.42, vec{0, 1, 0}, 0.25),
		place(bowlShape, classBowl, glaze, bowlAt, 1, vec{0, 1, 0}, 0),
	},
)

// place puts a shape at a point, with its y axis along axis, turned about it.
func place(s shape, class uint8, kind material, at vec, scale float64, axis vec, turn float64) solid {
	seed := vec{at.x * 7.3, at.y * 5.1, at.z * 3.7}
	return solid{s, class, kind, at, scale, upright(axis, turn), s.reach() * scale, seed}
}

// apple is an apple with its stalk.
func apple(at vec, scale float64, axis vec, turn float64) []solid {
	body := place(appleShape, classApple, appleSkin, at, scale, axis, turn)
	foot := at.add(body.axes.v.mul(0.52 * scale))
	return []solid{body, place(stalkShape, classApple, bark, foot, 0.55*scale, axis, turn+2.4)}
}
