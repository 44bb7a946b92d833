package paper

import (
	"fmt"
	"path/filepath"

	"collie/cmd/evaluate/internal/results"
)

// drawCurves writes what the trials show as SVG and PNG files: the oracle over
// the number of hypotheses for each observed share, and, where they vary, over
// the observed share and over herding-paper's rate.
func drawCurves(dir string, trials []*trial) error {
	hypotheses := map[float64]*results.Diagram{}
	observed := &results.Diagram{X: "observed superpixels (%)"}
	rates := map[float64]*results.Diagram{}
	for _, t := range trials {
		if hypotheses[t.Observed] == nil {
			hypotheses[t.Observed] = &results.Diagram{X: "hypotheses"}
			rates[t.Observed] = &results.Diagram{X: "rate"}
		}
		for m, v := range t.OracleBy {
			hypotheses[t.Observed].Add(t.title(), float64(m+1), 100*v)
		}
		observed.Add(t.title(), 100*t.Observed, 100*t.Oracle)
		if t.Reading != "" {
			rates[t.Observed].Add(t.Solver+" "+t.Reading, t.Rate, 100*t.Oracle)
		}
	}
	if err := observed.Save(filepath.Join(dir, "observed")); err != nil {
		return err
	}
	for share, f := range hypotheses {
		if err := f.Save(filepath.Join(dir, fmt.Sprintf("hypotheses-%g", share))); err != nil {
			return err
		}
		if err := rates[share].Save(filepath.Join(dir, fmt.Sprintf("rate-%g", share))); err != nil {
			return err
		}
	}
	return nil
}
