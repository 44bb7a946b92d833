//go:build race

package crf

// raceDetector is on: numeric tests take ten times as long.
const raceDetector = true
