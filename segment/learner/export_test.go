package learner

import "time"

// Backdate makes all that was sought look as long ago as d.
func (l *Learner) Backdate(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for project, at := range l.sought {
		l.sought[project] = at.Add(-d)
	}
}
