package importer

import (
	"slices"

	"collie/disjoint"
	"collie/segment"
	"collie/segment/timeline"
	"collie/superpixels"
)

// objectBytes is the memory per pixel for telling shapes apart: the shape, its
// connected parts and their sets.
const objectBytes = 12

// trackObjects makes drawing remember which shape each pixel belongs to.
func (m *Mask) trackObjects() {
	m.objects = slices.Repeat([]int32{-1}, len(m.Pixels))
}

// set gives a pixel the class of the shape that is being drawn.
func (m *Mask) set(pixel int, class uint8) {
	m.Pixels[pixel] = class
	if m.objects != nil {
		m.objects[pixel] = m.object
	}
}

// objectsOf gives each cell the number of the object that most of its pixels
// of its class belong to, counting from 1 in the order of their first pixels, or 0; it is nil
// if all objects are connected regions of their class, which need no number.
// merged is how many of the others are so small that no cell belongs to them.
func (m *Mask) objectsOf(cells *superpixels.Runs) (numbers []int32, merged int) {
	number := m.numbers()
	if len(number) == 0 {
		return nil, 0
	}
	type share struct{ cell, number int32 }
	counts := map[share]int{}
	labels, _ := timeline.Majority(cells, m.Pixels)
	for run := range cells.All() {
		for start, end := run.Start, 0; start < run.End; start = end {
			for end = start + 1; end < run.End && m.objects[end] == m.objects[start] && m.Pixels[end] == m.Pixels[start]; end++ {
			}
			if n := number[m.objects[start]]; n > 0 && m.Pixels[start] == labels[run.Region] {
				counts[share{int32(run.Region), n}] += end - start
			}
		}
	}
	numbers = make([]int32, cells.N)
	most := make([]int, cells.N)
	for s, n := range counts {
		if n > most[s.cell] || n == most[s.cell] && s.number < numbers[s.cell] {
			numbers[s.cell], most[s.cell] = s.number, n
		}
	}
	found := map[int32]bool{}
	for _, n := range numbers {
		found[n] = true
	}
	for _, n := range number {
		if !found[n] {
			merged++
		}
	}
	return numbers, merged
}

// numbers numbers the objects that aren't regions: those that touch another one
// of their class or have several parts.
func (m *Mask) numbers() map[int32]int32 {
	var parts disjoint.Sets // of provisional parts
	part := make([]int32, len(m.objects))
	told := map[int32]bool{}
	for i, o := range m.objects {
		part[i] = -1
		if o < 0 || m.Pixels[i] == segment.Void {
			continue
		}
		for _, j := range [2]int{i - 1, i - m.Width} {
			if j < 0 || j == i-1 && i%m.Width == 0 || m.Pixels[j] != m.Pixels[i] || part[j] < 0 {
				continue
			}
			if m.objects[j] != o {
				told[o], told[m.objects[j]] = true, true
				continue
			}
			root := parts.Find(part[j])
			if part[i] >= 0 && part[i] != root {
				parts.Join(max(part[i], root), min(part[i], root))
				root = min(part[i], root)
			}
			part[i] = root
		}
		if part[i] < 0 {
			part[i] = parts.Add()
		}
	}
	// Only the first pixel of a stretch is looked up.
	begins := func(i int) bool {
		return part[i] >= 0 && (i == 0 || part[i] != part[i-1] || m.objects[i] != m.objects[i-1])
	}
	first := map[int32]int32{} // part of each object
	for i, o := range m.objects {
		if !begins(i) {
			continue
		}
		root := parts.Find(part[i])
		if before, known := first[o]; known && before != root {
			told[o] = true
		}
		first[o] = root
	}
	number := map[int32]int32{}
	for i, o := range m.objects {
		if begins(i) && told[o] && number[o] == 0 && len(number) < segment.MaxObjects {
			number[o] = int32(len(number) + 1)
		}
	}
	return number
}
