//go:build race

package superpixels

const raceEnabled = true
