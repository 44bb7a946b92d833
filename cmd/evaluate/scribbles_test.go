package main

import (
	"testing"
)

func TestScribbles(t *testing.T) {
	for _, row := range Figures[Results](t, new(Scribbles), "--data", Folder(t, 2), "--regions", "60").Results {
		if row["error_rate"].(float64) > 0.1 || row["oracle_error_rate"].(float64) > row["error_rate"].(float64) {
			t.Errorf("scribbles: %v", row)
		}
	}
}
