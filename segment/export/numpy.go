package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"collie/segment/export/zipfile"
	"collie/superpixels"
)

// numpy is a folder per image with labels.npz, whose array labels is uint8 of
// height × width (class index, 255 where undecided), and probs.npz, whose array
// probs is float16 of superpixels × classes of the project – the share of the
// hypotheses that give a superpixel a class – and whose array superpixels is
// uint32 of height × width.
type numpy struct{ single }

func newNumPy(*job) (encoder, error) { return numpy{}, nil }

func (numpy) image(ctx context.Context, s *subject) (*piece, error) {
	s.pictureName = s.stem + "/image" + s.extension()
	size := []int{s.mask.Height, s.mask.Width}
	labels, err := npz(s.stem+"/labels.npz", npy("labels", "|u1", size, s.mask.Pixels))
	if err != nil {
		return nil, err
	}
	p := &piece{files: []zipfile.Member{labels}, out: len(s.partition().Regions), lossy: s.joined()}
	probabilities, m, err := s.probabilities(ctx)
	if err != nil {
		return nil, err
	}
	if m == nil {
		p.note = "Nothing has been clicked, so there are no probabilities."
		return p, nil
	}
	halves := make([]byte, 0, 2*len(probabilities))
	for _, v := range probabilities {
		halves = binary.LittleEndian.AppendUint16(halves, float16(v))
	}
	ids := make([]byte, 0, 4*m.Area())
	for run := range m.All() {
		for range run.End - run.Start {
			ids = binary.LittleEndian.AppendUint32(ids, uint32(run.Region))
		}
	}
	probs, err := npz(s.stem+"/probs.npz",
		npy("probs", "<f2", []int{m.N, len(s.project.Classes)}, halves), npy("superpixels", "<u4", size, ids))
	p.files = append(p.files, probs)
	return p, err
}

// probabilities returns the classes' probabilities, in project order, at each
// superpixel of the map, row-major. Without clicks the map is nil.
func (s *subject) probabilities(ctx context.Context) ([]float64, *superpixels.Runs, error) {
	if s.sequence == nil || s.secret() {
		return nil, nil, nil
	}
	u, err := s.sequence.Uncertainty(ctx, *s.options.Hypotheses)
	if err != nil || len(u.Marginals) == 0 {
		return nil, nil, err
	}
	inPlay, k, n := s.sequence.Classes(), len(s.project.Classes), len(s.state.Labels)
	out := make([]float64, n*k)
	for i := range n {
		for j, class := range inPlay {
			if index := int(s.index[class]); index < k {
				out[i*k+index] += u.Marginals[i*len(inPlay)+j]
			}
		}
	}
	return out, s.annotation.Cells().Coarsen(s.state.Parent, n), nil
}

// array is a member of a .npz.
type array struct {
	name    string
	content []byte
}

// npy is an array in NumPy's format 1.0, in C order. descr is its type, as NumPy
// spells it.
func npy(name, descr string, shape []int, data []byte) array {
	var dims []string
	for _, n := range shape {
		dims = append(dims, strconv.Itoa(n))
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, strings.Join(dims, ", "))
	const before = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	content := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return array{name, slices.Concat(content, []byte(header), data)}
}

// npz is a member with arrays packed as by numpy.savez_compressed.
func npz(name string, arrays ...array) (zipfile.Member, error) {
	var b bytes.Buffer
	out := zipfile.NewWriter(&b, nil)
	for _, a := range arrays {
		m, err := zipfile.Deflated(a.name+".npy", a.content)
		if err != nil {
			return zipfile.Member{}, err
		}
		if err := out.Add(m); err != nil {
			return zipfile.Member{}, err
		}
	}
	err := out.Close()
	return zipfile.Stored(name, b.Bytes()), err
}

// float16 is the nearest half-precision number to v, 0 ≤ v ≤ 1, ties to even
// (IEEE 754 binary16).
func float16(v float64) uint16 {
	if v == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(v) // ½ ≤ fraction < 1
	if exponent < -13 {                 // subnormal, in units of 2⁻²⁴
		return uint16(math.RoundToEven(math.Ldexp(v, 24)))
	}
	// The carry of a mantissa that rounds up to 2048 raises the exponent.
	return uint16((exponent+14)<<10) + uint16(math.RoundToEven(fraction*2048)) - 1024
}
