package gauge

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
)

// Background does work that nobody waits for. Safe for concurrent use.
type Background struct {
	observer Observer
	log      *slog.Logger
	logged   sync.Map // failures
}

// failure is a panic at a place of the program, in work at an image or project.
type failure struct {
	at    string
	place [32]uintptr // the innermost callers
}

// NewBackground returns one that counts its panics with o and logs them.
func NewBackground(o Observer, log *slog.Logger) *Background {
	return &Background{observer: o, log: log}
}

// Do does work at the image or project with the id at. A panic ends only that.
func (b *Background) Do(as Happening, at string, work func()) {
	defer func() {
		if v := recover(); v != nil {
			b.Caught(as, at, v)
		}
	}()
	work()
}

// Caught is for the function that has recovered v: the panic counts as a
// Happening. It is logged the first time: the work can be tried again every few
// seconds.
func (b *Background) Caught(as Happening, at string, v any) {
	b.observer.Happened(as)
	f := failure{at: at}
	runtime.Callers(1, f.place[:])
	if _, logged := b.logged.LoadOrStore(f, true); !logged {
		b.log.Error("panic", "event", string(as), "at", at, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	}
}
