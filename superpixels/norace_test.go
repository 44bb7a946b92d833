//go:build !race

package superpixels

// raceEnabled tells tests on real photographs to be brief.
const raceEnabled = false
