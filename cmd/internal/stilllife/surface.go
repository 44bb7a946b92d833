package main

// material is what a solid is made of.
type material uint8

const (
	appleSkin material = iota
	peel
	pearSkin
	glaze
	stoneware
	bark
)

// skin is a surface at one point.
type skin struct {
	albedo   vec
	rough    float64 // of the mirror image, as the tangent of its spread
	gloss    float64 // scale of the Fresnel reflection
	reflect0 float64 // reflectance at normal incidence
	soft     float64 // how far light seeps around the terminator
	bump     vec     // added to the normal: pores, waves
}

// shade returns the light that the solid sends from p towards the eye, the ray
// having come along d.
func (s *solid) shade(p, d vec) vec {
	q := s.axes.local(p.sub(s.origin)).mul(1 / s.scale)
	m := s.shape.normal(q, 0.004)
	k := s.kind.skin(q, s.seed)
	n := s.axes.world(m.add(k.bump).unit())
	// At a soft border the normal may already face away.
	if c := n.dot(d); c > -0.02 {
		n = n.sub(d.mul(c + 0.02)).unit()
	}
	l := gather(p, n, s)
	// Next to the table little light comes from below.
	under := clamp(p.y/(0.55*s.scale)) * (1 - 0.25*clamp(-n.y))
	l.open *= 0.25 + 0.75*under
	l.ambient = l.ambient.mul(0.18 + 0.82*under)
	c := k.albedo.times(l.direct.add(l.ambient))
	if k.soft > 0 {
		// Light that has travelled through the flesh is redder and reaches past
		// the terminator.
		c = c.add(k.albedo.times(k.albedo).times(daylight).mul(k.soft * l.open * under))
	}
	r := d.reflect(n)
	f := min(1+d.dot(n), 0.88)
	f2 := f * f
	fresnel := (k.reflect0 + (1-k.reflect0)*f2*f2*f*clamp(1-3*k.rough)) * k.gloss
	return c.add(reflected(p, r, 0.1+k.rough, mirror(p, r, k.rough, l.open)).mul(fresnel))
}

// skin describes the surface at q, in the solid's frame.
func (k material) skin(q, seed vec) skin {
	switch k {
	case appleSkin:
		return appleSurface(q, seed)
	case peel:
		return orangeSurface(q, seed)
	case pearSkin:
		return pearSurface(q, seed)
	case glaze:
		return bowlSurface(q)
	case stoneware:
		return jugSurface(q)
	default:
		g := noise3(vec{q.x * 14, q.y * 5, q.z * 14}.add(seed))
		return skin{albedo: vec{0.10, 0.06, 0.03}.mul(0.9 + 0.5*g + 0.4*q.y), rough: 0.5, gloss: 0.3, reflect0: 0.04}
	}
}

func appleSurface(q, seed vec) skin {
	r := hypot(q.x, q.z) + 1e-9
	along := vec{q.x / r, q.y * 0.16, q.z / r}
	// Streaks run from stalk to calyx; ripeness is a broad patch.
	streak := 0.55*noise3(along.mul(9).add(seed)) + 0.45*noise3(along.mul(23).add(seed))
	ripe := noise3(q.mul(1.3).add(seed)) + 0.35*noise3(q.mul(3.1).add(seed))
	red := step(-0.75, 0.35, ripe+0.40*streak+0.32)
	hollow := step(0.42, 0.10, r) * step(0, 0.4, q.y)
	red *= 1 - 0.85*hollow
	flush := vec{0.27, 0.018, 0.018}.mix(vec{0.44, 0.055, 0.030}, clamp(0.5+0.8*streak))
	green := vec{0.52, 0.36, 0.095}.mix(vec{0.50, 0.19, 0.05}, clamp(0.5+0.7*streak))
	c := green.mix(flush, red)
	if d := speck(q.mul(9).add(seed), 0.13); d > 0 {
		c = c.mix(vec{0.62, 0.42, 0.22}, 0.5*d)
	}
	bump := noise3(q.mul(7).add(seed))
	fine := noise3(q.mul(41).add(seed))
	c = c.mul(0.93 + 0.10*fine + 0.08*bump)
	if q.y < 0 && r < 0.16 {
		c = c.mix(vec{0.06, 0.04, 0.02}, step(0.16, 0.08, r))
	}
	return skin{
		albedo: c, rough: 0.055 + 0.02*fine, gloss: 0.85 * (1 - 0.7*hollow), reflect0: 0.04, soft: 0.05,
		bump: vec{bump, noise3(q.mul(7).add(seed.mul(-1))), -bump}.mul(0.012),
	}
}

func orangeSurface(q, seed vec) skin {
	// Pores: the gradient of fine noise tilts the normal.
	const e, fine = 0.15, 23.0
	p := q.mul(fine).add(seed)
	a := noise3(p)
	g := vec{noise3(vec{p.x + e, p.y, p.z}) - a, noise3(vec{p.x, p.y + e, p.z}) - a, noise3(vec{p.x, p.y, p.z + e}) - a}
	pit := step(-0.15, -0.75, a)
	broad := noise3(q.mul(2.1).add(seed))
	c := vec{0.66, 0.175, 0.014}.mix(vec{0.70, 0.235, 0.020}, clamp(0.5+0.6*broad))
	c = c.mul(1 - 0.09*pit + 0.05*noise3(q.mul(40).add(seed)))
	// The scar of the stalk.
	r := hypot(q.x, q.z)
	if q.y > 0 && r < 0.24 {
		c = c.mix(vec{0.44, 0.33, 0.05}, 0.6*step(0.24, 0.10, r))
		c = c.mix(vec{0.20, 0.16, 0.06}, step(0.095, 0.06, r+0.02*a))
	}
	return skin{albedo: c, rough: 0.22, gloss: 0.62, reflect0: 0.04, soft: 0.09, bump: g.mul(-0.45)}
}

func pearSurface(q, seed vec) skin {
	broad := noise3(q.mul(1.7).add(seed)) + 0.5*noise3(q.mul(4.3).add(seed))
	c := vec{0.42, 0.40, 0.075}.mix(vec{0.60, 0.47, 0.10}, clamp(0.5+0.6*broad))
	blush := step(0.1, 1.1, 0.9*q.x+0.4*broad)
	c = c.mix(vec{0.50, 0.22, 0.06}, 0.5*blush)
	// Russet gathers around the stalk; small lenticels everywhere.
	grain := noise3(q.mul(19).add(seed))
	russet := clamp(step(0.75, 1.35, q.y+0.25*grain+0.1*broad) + step(-0.75, -1.05, q.y+0.15*grain))
	c = c.mix(vec{0.30, 0.19, 0.07}, 0.75*russet)
	if d := speck(q.mul(15).add(seed), 0.24); d > 0 {
		c = c.mix(vec{0.24, 0.16, 0.05}, 0.65*d)
	}
	bump := noise3(q.mul(5).add(seed))
	return skin{
		albedo: c.mul(0.95 + 0.07*grain), rough: 0.20, gloss: 0.55 * (1 - 0.6*russet), reflect0: 0.04, soft: 0.05,
		bump: vec{bump, grain * 0.5, noise3(q.mul(6).add(seed))}.mul(0.03),
	}
}

func jugSurface(q vec) skin {
	m := noise3(q.mul(1.6)) + 0.4*noise3(q.mul(4))
	c := vec{0.40, 0.365, 0.31}.mul(1 + 0.16*m)
	c = c.mix(vec{0.20, 0.13, 0.085}, 0.85*step(-0.52, -0.62, q.y+0.04*m)) // bare clay below
	if q.y > 1.2 && q.x*q.x+q.z*q.z < 0.19 {
		c = c.mul(0.12 + 0.88*step(1.60, 1.82, q.y)) // the dark of the mouth
	}
	return skin{albedo: c, rough: 0.16, gloss: 0.8, reflect0: 0.045}
}

func bowlSurface(q vec) skin {
	turn := cloud2(q.y*9, 0.3*hypot(q.x, q.z), 2, 71) // rings of the wheel
	pool := noise3(q.mul(1.1)) + 0.5*noise3(q.mul(2.9))
	c := vec{0.155, 0.205, 0.235}.mix(vec{0.25, 0.30, 0.32}, clamp(0.5+0.5*pool+0.5*turn))
	// Iron specks, and the body showing where glaze has run thin on the rim.
	if d := speck(q.mul(7.5), 0.20); d > 0 {
		c = c.mix(vec{0.06, 0.045, 0.03}, 0.8*d)
	}
	if d := speck(q.mul(19), 0.2); d > 0 {
		c = c.mix(vec{0.08, 0.06, 0.04}, 0.5*d)
	}
	rim := step(bowlRim-0.02, bowlRim+0.06, q.y+0.03*pool)
	c = c.mix(vec{0.27, 0.17, 0.09}, 0.75*rim)
	foot := step(-2.36, -2.44, q.y+0.03*pool)
	c = c.mix(vec{0.24, 0.17, 0.11}, foot)
	return skin{
		albedo: c, rough: 0.07, gloss: 1 - 0.8*foot, reflect0: 0.05,
		bump: vec{0.3 * pool, turn, 0.3 * pool}.mul(0.03),
	}
}
