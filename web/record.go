package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"collie/segment"
	"collie/segment/ledger"
	"collie/web/wire"
)

// Memory for the repairs in the answers of getImage. They are sent piece by piece
// from the image's state, which requests share until the image changes; each slow
// client can hold a state of its own, with 8 bytes for each run of pixels.
const (
	recordMemory   = 128 << 20 // bytes
	recordShare    = recordMemory / 2
	recordWaiting  = 32              // waiting requests of one user
	recordPatience = 5 * time.Second // then a waiting request is refused, while there is time to answer it
	smallRecord    = 64 << 10        // bytes that need no loan
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
	if give, err = s.lendRecord(r.Context(), a.State().Repairs); err != nil {
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

// lendRecord lends the memory that a slow client keeps in use by these repairs.
func (s *Server) lendRecord(ctx context.Context, repairs []segment.Repair) (give func(), err error) {
	var size int64
	for _, repair := range repairs {
		size += 4 * int64(len(repair.Runs))
	}
	if size <= smallRecord {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	give, err = s.records.Take(waiting, min(size, recordMemory))
	if errors.Is(err, ledger.ErrBusy) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, segment.Errorf(segment.Busy, "Too many images with a lot of repaired pixels are being sent right now; try again in a few seconds.")
	}
	return give, err
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
		_, _ = fmt.Fprintf(out, `{"class":%d,"runs":[`, repair.Class)
		for j, n := range repair.Runs {
			if j > 0 {
				_ = out.WriteByte(',')
			}
			_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(n), 10))
		}
		_, _ = out.Write(end)
	}
	_, _ = out.Write(append(end, '\n'))
	return out.Flush() // which returns the first error of all writes
}
