package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/engine"
	"collie/segment/export/zipfile"
	"collie/segment/mask"
)

// hypotheses is a folder per image with an index PNG of the labelling and of
// each of the first hypotheses, and hypotheses.json.
type hypotheses struct{ single }

func newHypotheses(*job) (encoder, error) { return hypotheses{}, nil }

type hypothesesFile struct {
	Image      string            `json:"image"` // as uploaded
	Seq        int               `json:"seq"`   // number of evidence events
	Evidence   string            `json:"evidence_sha256"`
	Classes    []int             `json:"classes"` // indices of the classes in play
	Parameters engine.Parameters `json:"parameters"`
	Labelling  string            `json:"labelling"`
	Hypotheses []hypothesisEntry `json:"hypotheses"`
}

type hypothesisEntry struct {
	Rank   int     `json:"rank"`
	Energy float64 `json:"energy"` // higher is better
	Digest string  `json:"digest"`
	File   string  `json:"file"`
}

func (hypotheses) image(ctx context.Context, s *subject) (*piece, error) {
	s.pictureName = s.stem + "/image" + s.extension()
	p := &piece{out: len(s.partition().Regions)}
	list := hypothesesFile{
		Image: s.image.Name, Classes: []int{},
		Labelling: "labelling.png", Hypotheses: []hypothesisEntry{},
	}
	add := func(name string, m mask.Mask) error {
		f, err := zipfile.Written(s.stem+"/"+name, func(w io.Writer) error { return mask.WriteIndex(w, m) })
		p.files = append(p.files, f)
		return err
	}
	if err := add(list.Labelling, s.mask); err != nil {
		return nil, err
	}
	a, state, sequence := s.annotation, s.state, s.sequence
	list.Seq, list.Parameters = state.Seq, sequence.Parameters()
	events, err := a.Events(ctx, state)
	if err != nil {
		return nil, err
	}
	if list.Evidence, err = evidenceDigest(events); err != nil {
		return nil, err
	}
	for _, class := range sequence.Classes() {
		list.Classes = append(list.Classes, int(s.index[class]))
	}
	count := min(*s.options.Hypotheses, sequence.Len())
	if s.secret() {
		count = 0
	}
	for rank := range count {
		h, err := sequence.At(ctx, rank)
		if err != nil {
			return nil, err
		}
		e := hypothesisEntry{rank, h.Energy, h.Digest.String(), fmt.Sprintf("hypothesis-%03d.png", rank)}
		if err := add(e.File, mask.Of(a.Cells(), s.index.Through(state.Cells(h.Labels)))); err != nil {
			return nil, err
		}
		list.Hypotheses = append(list.Hypotheses, e)
	}
	if len(list.Hypotheses) == 0 {
		p.note = "Nothing has been clicked, so there are no hypotheses."
	}
	b, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return nil, err
	}
	f, err := zipfile.Deflated(s.stem+"/hypotheses.json", append(b, '\n'))
	p.files = append(p.files, f)
	return p, err
}

// evidenceDigest is the SHA-256 of a log as a backup writes it.
func evidenceDigest(events []segment.Event) (string, error) {
	var b bytes.Buffer
	if err := backup.WriteEvents(&b, events); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
