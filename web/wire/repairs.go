package wire

import (
	"bufio"
	"fmt"
	"strconv"

	"collie/segment"
)

// MemoryOf is the memory of repairs in bytes. They are sent piece by piece from the
// image's state, which clients share until the image changes; each slow client can hold
// a state of its own.
func MemoryOf(repairs []segment.Repair) int64 {
	var size int64
	for _, repair := range repairs {
		size += 4 * int64(len(repair.Runs))
	}
	return size
}

// WriteRepairs writes repairs as a JSON list. Errors stay in out.
func WriteRepairs(out *bufio.Writer, repairs []segment.Repair) {
	_ = out.WriteByte('[')
	for i, repair := range repairs {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = fmt.Fprintf(out, `{"class":%d,"runs":`, repair.Class)
		WriteRuns(out, repair.Runs)
		_ = out.WriteByte('}')
	}
	_ = out.WriteByte(']')
}

// WriteRuns writes runs of pixels as a JSON list. Errors stay in out.
func WriteRuns(out *bufio.Writer, runs []int32) {
	_ = out.WriteByte('[')
	for i, n := range runs {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(n), 10))
	}
	_ = out.WriteByte(']')
}
