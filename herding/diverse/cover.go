package diverse

import (
	"slices"

	"collie/herding"
	"collie/herding/choose"
)

// covering orders labellings so that the first of them, however many, leave none
// of the others far from all of these: after the first, each is the one that
// raises most the mean over all of the best mean IoU with a labelling before or
// at it. That is the greedy maximiser of a monotone submodular function (facility
// location), for each length within 1-1/e of the best choice (Nemhauser, Wolsey
// and Fisher 1978, doi:10.1007/BF01588971). Near copies come last. O(M²·(n+M)).
func covering(pool []herding.Hypothesis, area []float64, labels int) []herding.Hypothesis {
	xs := make([][]uint8, len(pool))
	for i, h := range pool {
		xs[i] = h.Labels
	}
	alike := choose.Alike(xs, area, labels)
	covered := make([]float64, len(pool))
	left := make([]int, len(pool))
	for i := range left {
		left[i] = i
	}
	var out []herding.Hypothesis
	for len(left) > 0 {
		next, most := 0, -1.0
		for at, i := range left {
			gain := 0.0
			for j, v := range alike[i] {
				gain += max(0, v-covered[j])
			}
			if gain > most {
				next, most = at, gain
			}
			if len(out) == 0 {
				break
			}
		}
		i := left[next]
		left = slices.Delete(left, next, next+1)
		out = append(out, pool[i])
		for j, v := range alike[i] {
			covered[j] = max(covered[j], v)
		}
	}
	return out
}
