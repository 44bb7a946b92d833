package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"

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
	if give, err = s.memory.Lend(r.Context(), wire.MemoryOf(a.State().Repairs)); err != nil {
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

// writeRecord writes a record that ends with an empty list of repairs, and repairs
// into that list.
func writeRecord(to io.Writer, record []byte, repairs []segment.Repair) error {
	out := bufio.NewWriterSize(to, 64<<10)
	_, _ = out.Write(bytes.TrimSuffix(record, []byte("[]}")))
	wire.WriteRepairs(out, repairs)
	_, _ = out.WriteString("}\n")
	return out.Flush() // which returns the first error of all writes
}
