package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"collie/segment"
	"collie/web/wire"
)

// getImage sends an image's record and state.
func (s *Server) getImage(w http.ResponseWriter, r *http.Request) error {
	out, repairs, give, err := s.openRecord(r)
	if err != nil {
		return err
	}
	defer give()
	frame, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return s.answers.Stream(w, "application/json", func(to io.Writer) error { return writeRecord(to, frame, repairs) })
}

// openRecord is the record of the image in the URL, without its repairs, and these,
// whose memory is lent until give is called.
func (s *Server) openRecord(r *http.Request) (out wire.OpenImage, repairs []segment.Repair, give func(), err error) {
	im, err := s.image(r)
	if err != nil {
		return out, nil, nil, err
	}
	a, err := s.workspace.Open(r.Context(), im.ID)
	if err != nil {
		return out, nil, nil, err
	}
	defer a.Close()
	if give, err = s.memory.Lend(r.Context(), sizeOf(a.State().Repairs)); err != nil {
		return out, nil, nil, err
	}
	state := a.State() // while it waited, the request kept none in memory
	out = wire.OpenImage{
		Image: wire.ImageOf(im), Map: state.Map, Finest: len(state.Parent),
		Guess: wire.GuessOf(state.Guess), Repairs: []wire.Repair{},
	}
	out.Regions = len(state.Labels)
	return out, state.Repairs, give, nil
}

// sizeOf is the memory of repairs in bytes. They are sent piece by piece from the
// image's state, which requests share until the image changes; each slow client can
// hold a state of its own.
func sizeOf(repairs []segment.Repair) int64 {
	var size int64
	for _, repair := range repairs {
		size += 4 * int64(len(repair.Runs))
	}
	return size
}

// writeRecord writes a record that ends with an empty list of repairs, and repairs
// into that list.
func writeRecord(to io.Writer, record []byte, repairs []segment.Repair) error {
	out := bufio.NewWriterSize(to, 64<<10)
	end := []byte("]}")
	_, _ = out.Write(bytes.TrimSuffix(record, end))
	for i, repair := range repairs {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = fmt.Fprintf(out, `{"class":%d,"runs":`, repair.Class)
		writeRuns(out, repair.Runs)
		_ = out.WriteByte('}')
	}
	_, _ = out.Write(append(end, '\n'))
	return out.Flush() // which returns the first error of all writes
}

// writeRuns writes runs of pixels as a list.
func writeRuns(out *bufio.Writer, runs []int32) {
	_ = out.WriteByte('[')
	for i, n := range runs {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(n), 10))
	}
	_ = out.WriteByte(']')
}
