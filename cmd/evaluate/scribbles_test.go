package main

import (
	"testing"
)

func TestScribbles(t *testing.T) {
	for _, row := range figures[results](t, new(scribblesCommand), "--data", folder(t, 2), "--regions", "60").Results {
		if row["error_rate"].(float64) > 0.1 || row["oracle_error_rate"].(float64) > row["error_rate"].(float64) {
			t.Errorf("scribbles: %v", row)
		}
	}
}
