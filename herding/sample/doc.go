// Package sample draws labellings at random: from the Gibbs distribution
// exp(E(x)/T) itself, by Gibbs sampling and by clusters, or as the best ones of
// randomly perturbed energies (perturb-and-MAP).
//
// Rank 0 of every source is the best labelling found. The seed decides the
// rest, the same on every machine.
package sample
