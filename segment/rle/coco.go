package rle

import "fmt"

// COCO returns the compressed form that COCO's mask API writes (rleToString in
// maskApi.c): from the fourth run on the difference to the run two before, each
// number in groups of 5 bits, lowest first, with bit 32 on all but the last group,
// plus 48.
func (c Counts) COCO() string {
	var text []byte
	for i, n := range c {
		if i > 2 {
			n -= c[i-2]
		}
		for more := true; more; {
			group := byte(n & 31)
			n >>= 5
			if group&16 != 0 {
				more = n != -1
			} else {
				more = n != 0
			}
			if more {
				group |= 32
			}
			text = append(text, group+48)
		}
	}
	return string(text)
}

// maxGroups is how many groups of 5 bits a number can have: enough for any
// difference of two lengths below 2³¹.
const maxGroups = 7

// ParseCOCO reads the compressed form of a mask with the given number of
// pixels, below 2³¹. Time and memory are proportional to the text; Counts come
// out as [Check] makes them.
func ParseCOCO(text string, pixels int) (Counts, error) {
	var raw [2]int // the last two runs as they were written
	c := collector{counts: make(Counts, 0, min(len(text), 1+pixels)), left: pixels}
	for i := 0; len(text) > 0; i++ {
		n, length := number(text)
		if length == 0 {
			return nil, fmt.Errorf("%w: number %d of the compressed text is invalid", ErrFormat, i)
		}
		text = text[length:]
		if i > 2 {
			n += raw[i%2]
		}
		raw[i%2] = n
		if err := c.add(n); err != nil {
			return nil, err
		}
	}
	return c.all()
}

// number reads the number at the start of text and returns its length in bytes,
// 0 without one.
func number(text string) (n, length int) {
	for k := range min(len(text), maxGroups) {
		group := int(text[k]) - 48
		if group < 0 || group > 63 {
			return 0, 0
		}
		n |= (group & 31) << (5 * k)
		if group&32 == 0 {
			if group&16 != 0 {
				n |= -1 << (5 * (k + 1))
			}
			return n, k + 1
		}
	}
	return 0, 0
}
