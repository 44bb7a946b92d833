package workspace

import "context"

// noteDoubt stores how much of the image is probably wrong, so that lists can
// show the doubtful ones first. It does so once per sequence, when
// a whole sequence has been made, and when that fails the list is a little older
// than the image.
func (a *Annotation) noteDoubt() {
	a.mu.Lock()
	sequence, noted := a.sequence, a.noted
	a.mu.Unlock()
	if sequence == nil || sequence == noted {
		return
	}
	doubt, ok := sequence.Doubt()
	if !ok {
		return
	}
	if err := a.store.NoteDoubt(context.Background(), a.image.ID, doubt); err != nil {
		return
	}
	a.mu.Lock()
	a.noted = sequence
	a.mu.Unlock()
}
