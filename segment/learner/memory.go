package learner

import (
	"context"
	"sync"

	"collie/segment"
)

// memory holds something that projects have learned, by project; nil where nothing is
// stored. It holds nothing before it is cleared. Safe for concurrent use.
type memory[T any] struct {
	mu   sync.Mutex
	held map[string]*T
}

// mostHeld is the largest number of projects in a memory.
const mostHeld = 8

func (m *memory[T]) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = map[string]*T{}
}

// get returns what is held, else what read gets from the store, or nil if there is
// nothing of use. The error says that there may be something.
func (m *memory[T]) get(ctx context.Context, projectID string, read func(into *T) error) (*T, error) {
	m.mu.Lock()
	v, ok := m.held[projectID]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	stored := new(T)
	if err := read(stored); err == nil {
		v = stored
	} else if ctx.Err() != nil || segment.OutOfReach(err) {
		return nil, err
	} // else it is missing, damaged or of an older version
	m.mu.Lock()
	defer m.mu.Unlock()
	if newer, ok := m.held[projectID]; ok {
		return newer, nil
	}
	m.put(projectID, v)
	return v, nil
}

func (m *memory[T]) hold(projectID string, v *T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(projectID, v)
}

// put needs the lock. It makes room for another project when there are too many.
func (m *memory[T]) put(projectID string, v *T) {
	if m.held == nil {
		return
	}
	if _, known := m.held[projectID]; !known && len(m.held) >= mostHeld {
		clear(m.held)
	}
	m.held[projectID] = v
}
