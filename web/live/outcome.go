package live

import "collie/segment/engine"

// How a sequence can end, in done messages and in answers to scripts.
const (
	reasonComplete   = "complete"
	reasonOneClass   = "one-class"
	reasonNoEvidence = "no-evidence"
	reasonStopped    = "stopped"
	reasonSuperseded = "superseded"
	reasonFailed     = "failed"
	reasonBusy       = "busy" // for now: it starts again by itself
)

// Outcome says, in a word and for people, what a sequence has come to when all
// that was asked of it is there.
func Outcome(s *engine.Sequence) (reason, detail string) {
	switch len(s.Classes()) {
	case 0:
		return reasonNoEvidence, "Nothing has been clicked yet. Click a superpixel and the hypotheses appear."
	case 1:
		return reasonOneClass, "Only one class has been clicked, so there is one answer. Click a superpixel of another class to get hypotheses."
	}
	if s.Settled() {
		return reasonComplete, "Everything is accepted. Click where it is wrong."
	}
	return reasonComplete, ""
}
