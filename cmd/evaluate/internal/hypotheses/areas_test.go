package hypotheses

import (
	"strings"
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

// Figures don't depend on which image comes to its end first.
func TestAreasInAnyOrder(t *testing.T) {
	one, other := areasRow{widths: []float64{0.1, 0.1, 0.3, 0.7}}, areasRow{widths: []float64{0.7, 0.3, 0.1, 0.1}}
	one.finish()
	other.finish()
	if one.Width != other.Width || one.Ranges != 4 {
		t.Errorf("widths %v and %v of %d ranges", one.Width, other.Width, one.Ranges)
	}
}

type areasFigures struct{ Results []areasRow }

// A single labelling gives a range of no width; more give wider ones.
func TestAreas(t *testing.T) {
	got := evaluatetest.Figures[areasFigures](t, new(Areas), "--data", evaluatetest.Unclear(t, 6), "--classes", "2", "--regions", "60", "--hypotheses", "5", "--observed", "0.3", "--methods", "map,hierarchy")
	if len(got.Results) != 2 || got.Results[0].Ranges != 12 || got.Results[0].Width != 0 || got.Results[1].Width <= 0 {
		t.Errorf("%+v", got.Results)
	}
	for i := range got.Results {
		if r := &got.Results[i]; r.Inside < 0 || r.Inside > 1 {
			t.Errorf("%s: %v of the ranges are met", r.Method, r.Inside)
		}
	}
	wide := evaluatetest.Figures[areasFigures](t, new(Areas), "--data", evaluatetest.Unclear(t, 6), "--classes", "2", "--regions", "60", "--hypotheses", "5", "--observed", "0.3", "--methods", "hierarchy", "--wider", "100")
	if r := &wide.Results[0]; r.Width <= got.Results[1].Width || r.Inside < got.Results[1].Inside || r.Wider != got.Results[1].Wider {
		t.Errorf("widened a hundredfold: %v of %v wide ranges are met, they need %v; before %v of %v, %v", r.Inside, r.Width, r.Wider, got.Results[1].Inside, got.Results[1].Width, got.Results[1].Wider)
	}
	for flag, value := range map[string]string{"--methods": "none", "--observed": "2", "--hypotheses": "1", "--wider": "-1"} {
		if _, err := evaluatetest.Run(t, new(Areas), "--data", evaluatetest.Folder(t, 1), flag+"="+value); err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%s %s: %v", flag, value, err)
		}
	}
}
