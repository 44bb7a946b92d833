package sample

import (
	"math/rand/v2"

	"collie/crf"
)

// euler is the mean of a standard Gumbel variable.
const euler = 0.5772156649

// uniform is between 0 and 1 and never either: the largest would be rounded to 1.
func uniform(rng *rand.PCG) float64 {
	return min((float64(rng.Uint64()>>11)+0.5)/(1<<53), 1-1.0/(1<<53))
}

// Gumbel is a random number of the standard Gumbel distribution, shifted to
// mean 0. math.Log would give other bits on other machines.
func Gumbel(rng *rand.PCG) float64 { return -crf.Log(-crf.Log(uniform(rng))) - euler }

// below is a random whole number from 0 to n-1.
func below(rng *rand.PCG, n int) int { return int(float64(n) * uniform(rng)) }
