package wire

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	for want, n := range map[string]Numbers{"[]": nil, "[7]": {7}, "[0,10,255]": {0, 10, 255}} {
		b, err := json.Marshal(n)
		if err != nil || string(b) != want {
			t.Errorf("%v: %s %v, want %s", []uint8(n), b, err, want)
		}
		var again Numbers
		if err := json.Unmarshal(b, &again); err != nil || !slices.Equal(n, again) {
			t.Errorf("%s: %v %v", b, []uint8(again), err)
		}
	}
}
