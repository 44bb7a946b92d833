//go:build race

package sharedtest

// Race says that the race detector is on: numeric code takes ten times as long,
// so tests on many images are brief.
const Race = true
