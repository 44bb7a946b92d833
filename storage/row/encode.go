package row

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"collie/segment"
)

var errEncoding = errors.New("the stored bytes are damaged")

// encodeSuperpixels writes each number as its difference from the previous one,
// a signed varint: one or two bytes for neighbours with similar numbers. An
// empty list becomes nil, which is stored as NULL.
func encodeSuperpixels(superpixels []int32) []byte {
	var b []byte
	last := int32(0)
	for _, s := range superpixels {
		b = binary.AppendVarint(b, int64(s)-int64(last))
		last = s
	}
	return b
}

func decodeSuperpixels(b []byte) ([]int32, error) {
	var superpixels []int32
	last := int64(0)
	for len(b) > 0 {
		d, n := binary.Varint(b)
		if n <= 0 || d < -math.MaxUint32 || d > math.MaxUint32 {
			return nil, errEncoding
		}
		b = b[n:]
		if last += d; last < math.MinInt32 || last > math.MaxInt32 {
			return nil, errEncoding
		}
		superpixels = append(superpixels, int32(last))
	}
	return superpixels, nil
}

// encodePoints writes the coordinates as they are, 16 bytes per point.
func encodePoints(points [][2]float64) []byte {
	var b []byte
	for _, p := range points {
		for _, v := range p {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func decodePoints(b []byte) ([][2]float64, error) {
	if len(b)%16 != 0 {
		return nil, errEncoding
	}
	var points [][2]float64
	for ; len(b) > 0; b = b[16:] {
		points = append(points, [2]float64{
			math.Float64frombits(binary.LittleEndian.Uint64(b)),
			math.Float64frombits(binary.LittleEndian.Uint64(b[8:])),
		})
	}
	return points, nil
}

// encodeShares writes, after a version byte, per class its id as a byte and its
// pixels and clicks as varints. nil stays nil, which is stored as NULL.
func encodeShares(shares []segment.ClassShare) []byte {
	if shares == nil {
		return nil
	}
	b := []byte{sharesVersion}
	for _, s := range shares {
		b = append(b, s.ID)
		b = binary.AppendUvarint(b, uint64(s.Area))
		b = binary.AppendUvarint(b, uint64(s.Clicks))
	}
	return b
}

const sharesVersion = 1

func decodeShares(b []byte) ([]segment.ClassShare, error) {
	if b == nil {
		return nil, nil
	}
	if len(b) == 0 || b[0] != sharesVersion {
		return nil, errEncoding
	}
	b = b[1:]
	shares := []segment.ClassShare{}
	for len(b) > 0 {
		s := segment.ClassShare{ID: b[0]}
		b = b[1:]
		for _, v := range []*int{&s.Area, &s.Clicks} {
			u, n := binary.Uvarint(b)
			if n <= 0 || u > math.MaxInt32 {
				return nil, errEncoding
			}
			*v, b = int(u), b[n:]
		}
		shares = append(shares, s)
	}
	return shares, nil
}

// encodeRepairs writes, per class, its id as a byte, the number of its runs as
// a varint, and for each run the distance from the end of the previous one as a
// signed varint and its length as a varint: three to four bytes per run. An
// empty list becomes nil, which is stored as NULL.
func encodeRepairs(repairs []segment.Repair) []byte {
	var b []byte
	for _, r := range repairs {
		b = append(b, r.Class)
		b = binary.AppendUvarint(b, uint64(len(r.Runs)/2))
		end := int64(0)
		for pair := range slices.Chunk(r.Runs, 2) {
			b = binary.AppendVarint(b, int64(pair[0])-end)
			b = binary.AppendUvarint(b, uint64(pair[1]))
			end = int64(pair[0]) + int64(pair[1])
		}
	}
	return b
}

func decodeRepairs(b []byte) ([]segment.Repair, error) {
	var repairs []segment.Repair
	for len(b) > 0 {
		r := segment.Repair{Class: b[0]}
		runs, n := binary.Uvarint(b[1:])
		if n <= 0 || runs > uint64(len(b))/2 { // a run has two bytes or more
			return nil, errEncoding
		}
		b = b[1+n:]
		r.Runs = make([]int32, 0, 2*runs)
		end := int64(0)
		for range runs {
			gap, n := binary.Varint(b)
			if n <= 0 || gap < -math.MaxInt32 || gap > math.MaxInt32 {
				return nil, errEncoding
			}
			length, m := binary.Uvarint(b[n:])
			if m <= 0 || length > math.MaxInt32 {
				return nil, errEncoding
			}
			b = b[n+m:]
			start := end + gap
			if end = start + int64(length); start < 0 || end > math.MaxInt32 {
				return nil, errEncoding
			}
			r.Runs = append(r.Runs, int32(start), int32(length))
		}
		repairs = append(repairs, r)
	}
	return repairs, nil
}

// encodeDrawn writes objects as encodeRepairs does classes, with the number of each as a
// run without pixels before its own.
func encodeDrawn(drawn []segment.ObjectPixels) []byte {
	var repairs []segment.Repair
	for _, o := range drawn {
		repairs = append(repairs, segment.Repair{Class: o.Class, Runs: slices.Concat([]int32{o.Number, 0}, o.Runs)})
	}
	return encodeRepairs(repairs)
}

func decodeDrawn(b []byte) ([]segment.ObjectPixels, error) {
	repairs, err := decodeRepairs(b)
	var drawn []segment.ObjectPixels
	for _, r := range repairs {
		if len(r.Runs) < 2 || r.Runs[1] != 0 {
			return nil, errEncoding
		}
		drawn = append(drawn, segment.ObjectPixels{Class: r.Class, Number: r.Runs[0], Runs: r.Runs[2:]})
	}
	return drawn, err
}

// encodeWork says whether people have worked on an image: 0 if they have, or −1 if it
// also has a first guess, else 2, or 3 if the project has guessed it. 1, from before
// there were embeddings, means what the number of events does: the project guesses, and
// undoes that. Older programs read −1 as 0, and wrote 0 with a first guess, too.
func encodeWork(p segment.Progress) int {
	switch {
	case !p.Untouched && p.Hinted:
		return -1
	case !p.Untouched:
		return 0
	case p.Guessed:
		return 3
	}
	return 2
}

func decodeWork(code, seq int) (untouched, guessed, hinted bool) {
	guessed = code == 3 || code == 1 && seq%2 == 1
	return code > 0, guessed, guessed || code == -1
}

// encodeScores writes a byte 0, a version byte, strength, exponent, proof and
// patience as 8 bytes each, rows in the beginning, model and images learned from as varints,
// the number of classes in reserve and their ids, a byte each, the same of all
// classes, and the shares. Version 2 had no patience, and version 1 no classes in reserve. Older scores
// without a strength begin with the number of classes, which is not 0.
// No scores are nil, which is stored as NULL.
func encodeScores(s *segment.Scores) []byte {
	if s == nil {
		return nil
	}
	b := []byte{0, scoresVersion}
	for _, v := range [4]float64{s.Strength, s.Exponent, s.Proof, s.Patience} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range [3]int{s.Regions, s.Model, s.Learnt} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return slices.Concat(b, []byte{byte(len(s.Reserve))}, s.Reserve, []byte{byte(len(s.Classes))}, s.Classes, s.Shares)
}

const scoresVersion = 3

func decodeScores(b []byte) (*segment.Scores, error) {
	if b == nil {
		return nil, nil
	}
	s := &segment.Scores{}
	if len(b) > 0 && b[0] == 0 {
		if len(b) < 26 || b[1] < 1 || b[1] > scoresVersion {
			return nil, errEncoding
		}
		version, real := b[1], func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[at:])) }
		s.Strength, s.Exponent, s.Proof = real(2), real(10), real(18)
		if version < 3 {
			b = b[26:]
		} else if len(b) >= 34 {
			s.Patience, b = real(26), b[34:]
		} else {
			return nil, errEncoding
		}
		for _, v := range []*int{&s.Regions, &s.Model, &s.Learnt} {
			u, n := binary.Uvarint(b)
			if n <= 0 || u > math.MaxInt32 {
				return nil, errEncoding
			}
			*v, b = int(u), b[n:]
		}
		if version > 1 {
			var ok bool
			if s.Reserve, b, ok = cutIDs(b); !ok {
				return nil, errEncoding
			}
		}
	}
	var ok bool
	if s.Classes, s.Shares, ok = cutIDs(b); !ok {
		return nil, errEncoding
	}
	return s, nil
}

// cutIDs reads a number and as many ids, nil for none.
func cutIDs(b []byte) (ids, rest []byte, ok bool) {
	if len(b) < 1 || len(b) < 1+int(b[0]) {
		return nil, nil, false
	}
	k := 1 + int(b[0])
	if k > 1 {
		ids = b[1:k:k]
	}
	return ids, b[k:], true
}
