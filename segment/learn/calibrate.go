package learn

import "collie/crf"

// Exponents to try.
const (
	leastExponent = 0.5
	mostExponent  = 3.0
	exponentStep  = 0.125

	calibrationRows = 8000 // of all, evenly
)

// calibrate returns the exponent e with which p^e, normalised, gives the true
// classes the highest likelihood. class has the true class of each row of the
// images one after the other.
func calibrate(said [][]float32, class []uint8, classes int) float64 {
	step := len(class)/calibrationRows + 1
	var logs []float64 // rows × classes
	var truth []uint8
	row := 0
	for _, p := range said {
		for at := 0; at < len(p); at += classes {
			if row%step == 0 && int(class[row]) < classes {
				for _, v := range p[at : at+classes] {
					logs = append(logs, crf.Log(float64(v)))
				}
				truth = append(truth, class[row])
			}
			row++
		}
	}
	best, most := 1.0, 0.0
	for e := leastExponent; e <= mostExponent; e += exponentStep {
		likelihood := 0.0
		for i, l := range truth {
			sum := 0.0
			for _, v := range logs[i*classes:][:classes] {
				sum += crf.Exp(e * v)
			}
			likelihood += float64(e*logs[i*classes+int(l)]) - crf.Log(sum)
		}
		if e == leastExponent || likelihood > most {
			best, most = e, likelihood
		}
	}
	return best
}

// sharpen raises probabilities to a power and normalises them.
func sharpen(p []float32, classes int, exponent float64) {
	for at := 0; at < len(p); at += classes {
		row := p[at : at+classes]
		sum := 0.0
		for i, v := range row {
			w := crf.Exp(exponent * crf.Log(float64(v)))
			row[i] = float32(w)
			sum += w
		}
		for i, v := range row {
			row[i] = float32(float64(v) / sum)
		}
	}
}
