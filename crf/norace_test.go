//go:build !race

package crf

const raceDetector = false
