package superpixels

import (
	"image"
	"math"
)

// blur sets the planes to an image of their size, convolved with the 5×5 binomial
// kernel, which is two passes of the 3×3 one. Pixels at the frame are repeated
// outwards. Each row is converted and blurred while it is in the processor's cache.
func (p *planes) blur(img *image.NRGBA) {
	w, h := p.width, p.height
	plain, rows := make([]uint64, w), make([]uint64, 5*w) // the row; row y, blurred along x, at y mod 5
	row := func(y int) []uint64 { return rows[min(max(y, 0), h-1)%5*w:][:w] }
	for y := range h + 2 {
		if y < h {
			packRow(plain, img.Pix[y*img.Stride:])
			blurRow(row(y), plain)
		}
		if y >= 2 {
			o := (y - 2) * w
			blurColumns(p.l[o:][:w], p.a[o:][:w], p.b[o:][:w], row(y-4), row(y-3), row(y-2), row(y-1), row(y))
		}
	}
}

// blurColumns sets a row of the three channels to the blur of five along y.
func blurColumns(l, a, b []float32, r0, r1, r2, r3, r4 []uint64) {
	a, b = a[:len(l)], b[:len(l)]
	r0, r1, r2, r3, r4 = r0[:len(l)], r1[:len(l)], r2[:len(l)], r3[:len(l)], r4[:len(l)]
	for x := range l {
		l[x], a[x], b[x] = unpack(binomial(r0[x], r1[x], r2[x], r3[x], r4[x]))
	}
}

// binomial returns a + 4b + 6c + 4d + e of packed colours.
func binomial(a, b, c, d, e uint64) uint64 { return a + e + 4*(b+c+d) + 2*c }

// blurRow sets a row to the blur of another along x.
func blurRow(dst, src []uint64) {
	width := len(src)
	at := func(x int) uint64 { return src[min(max(x, 0), width-1)] }
	for x := range min(2, width) {
		dst[x] = binomial(at(x-2), at(x-1), src[x], at(x+1), at(x+2))
	}
	for x := max(2, width-2); x < width; x++ {
		dst[x] = binomial(at(x-2), at(x-1), src[x], at(x+1), at(x+2))
	}
	if width < 5 {
		return
	}
	dst = dst[2 : width-2]
	s0, s1, s2, s3, s4 := src[:len(dst)], src[1:][:len(dst)], src[2:][:len(dst)], src[3:][:len(dst)], src[4:][:len(dst)]
	for x := range dst {
		dst[x] = binomial(s0[x], s1[x], s2[x], s3[x], s4[x])
	}
}

// half returns the planes at half the resolution, each pixel the mean of 2×2
// (fewer at odd right and bottom borders), in room.
func (p *planes) half(room []float32) *planes {
	w, h := (p.width+1)/2, (p.height+1)/2
	out := planesIn(room, w, h)
	src, dst := [3][]float32{p.l, p.a, p.b}, [3][]float32{out.l, out.a, out.b}
	for c := range src {
		for y := range h {
			top := src[c][2*y*p.width:][:p.width]
			bottom := src[c][min(2*y+1, p.height-1)*p.width:][:p.width]
			d := dst[c][y*w:][:w]
			t, b := top, bottom
			for x := range d[:p.width/2] {
				d[x] = (t[0] + t[1] + b[0] + b[1]) * 0.25
				t, b = t[2:], b[2:]
			}
			if p.width%2 == 1 {
				d[w-1] = (top[p.width-1] + bottom[p.width-1]) * 0.5
			}
		}
	}
	return out
}

// chroma weighs the squared a and b differences in gradients against L.
const chroma = 2

// gradient returns the magnitude of the central differences of the colour,
// sqrt(|∇L|² + chroma·(|∇a|² + |∇b|²)), per pixel, in out; one-sided at the
// border.
func (p *planes) gradient(out []float32) []float32 {
	w, h := p.width, p.height
	for y := range h {
		up, mid, down := max(y-1, 0)*w, y*w, min(y+1, h-1)*w
		l, a, b := p.l[mid:mid+w], p.a[mid:mid+w], p.b[mid:mid+w]
		lu, au, bu := p.l[up:][:len(l)], p.a[up:][:len(a)], p.b[up:][:len(b)]
		ld, ad, bd := p.l[down:][:len(l)], p.a[down:][:len(a)], p.b[down:][:len(b)]
		g := out[mid:][:w]
		for _, x := range [2]int{0, w - 1} {
			x0, x1 := max(x-1, 0), min(x+1, w-1)
			g[x] = magnitude(l[x1]-l[x0], ld[x]-lu[x], a[x1]-a[x0], ad[x]-au[x], b[x1]-b[x0], bd[x]-bu[x])
		}
		if w < 3 {
			continue
		}
		g = g[1 : w-1]
		l0, l1, lu, ld := l[:len(g)], l[2:][:len(g)], lu[1:][:len(g)], ld[1:][:len(g)]
		a0, a1, au, ad := a[:len(g)], a[2:][:len(g)], au[1:][:len(g)], ad[1:][:len(g)]
		b0, b1, bu, bd := b[:len(g)], b[2:][:len(g)], bu[1:][:len(g)], bd[1:][:len(g)]
		for x := range g {
			g[x] = magnitude(l1[x]-l0[x], ld[x]-lu[x], a1[x]-a0[x], ad[x]-au[x], b1[x]-b0[x], bd[x]-bu[x])
		}
	}
	return out
}

// magnitude is the length of a gradient given the differences of the channels.
func magnitude(lx, ly, ax, ay, bx, by float32) float32 {
	light := float32(lx*lx) + float32(ly*ly)
	colour := (float32(ax*ax) + float32(ay*ay)) + (float32(bx*bx) + float32(by*by))
	return float32(math.Sqrt(float64(light + float32(chroma*colour))))
}
