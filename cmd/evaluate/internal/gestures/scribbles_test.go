package gestures

import (
	"testing"

	"collie/cmd/evaluate/internal/evaluatetest"
)

// Scribbles on a disc and its surroundings leave little open.
func TestScribbles(t *testing.T) {
	for _, row := range evaluatetest.Figures[evaluatetest.Results](t, new(Scribbles), "--data", evaluatetest.Folder(t, 2), "--regions", "60").Results {
		if row["error_rate"].(float64) > 0.1 || row["oracle_error_rate"].(float64) > row["error_rate"].(float64) {
			t.Errorf("scribbles: %v", row)
		}
	}
}
