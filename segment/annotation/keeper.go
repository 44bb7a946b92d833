package annotation

import (
	"context"

	"collie/segment"
	"collie/segment/assistant"
	"collie/segment/engine"
	"collie/segment/gauge"
	"collie/segment/guard"
	"collie/segment/learn"
	"collie/segment/ledger"
)

// Config is what an image needs to be open.
type Config struct {
	Store     segment.Store
	Guard     *guard.Guard
	Image     segment.Image        // its record
	Assistant *assistant.Assistant // for its superpixels
	Turn      engine.Turn          // in which the steps of its sequences run
	Workbench *engine.Workbench    // for their work; nil keeps all of it
	Observer  gauge.Observer
	Lessons   Lessons
	Changed   func(imageID string) // called when the state has changed other than by Append
	Release   func()               // called by Close
	LongLog   *ledger.Ledger       // of one: lent while a long log is played; nil: any number are at once
}

// Lessons are what projects learn from their images. The calls must not wait for
// learning.
type Lessons interface {
	Finished(projectID string) // says that an image has become complete, or changed after that
	Embedded(projectID string) // says that a complete image has another embedding

	// ImportWeight is how much imported scores count in a project, [learn.Off] where
	// too little is known.
	ImportWeight(ctx context.Context, projectID string) learn.Choice
	// EmbeddingWeight is how much embeddings count; nil where nothing is known.
	EmbeddingWeight(ctx context.Context, projectID string) *segment.Embedding
}

// Keeper is for whoever keeps an image open for others. Its calls belong to the
// program and ask for no rights, so it stays with the one who called New. Safe for
// concurrent use.
type Keeper struct{ annotation *Annotation }

// New returns the keeper of an image without evidence, which Load reads.
func New(c Config) *Keeper {
	a := &Annotation{
		store: c.Store, guard: c.Guard, image: c.Image, assistant: c.Assistant, cells: c.Assistant.Hierarchy.Runs(),
		turn: c.Turn, workbench: c.Workbench, observer: c.Observer, lessons: c.Lessons, changed: c.Changed, release: c.Release, longLog: c.LongLog, past: newPast(),
	}
	a.timeline = a.assistant.Timeline(a.cells, a.image.Regions)
	return &Keeper{a}
}

// Annotation returns the image for those who work on it.
func (k *Keeper) Annotation() *Annotation { return k.annotation }

// Load plays the stored evidence. It panics if that is damaged. O(events).
func (k *Keeper) Load(ctx context.Context) error { return k.annotation.catchUp(ctx) }

// Refresh rereads the project; Config.Changed is called if its classes have changed.
func (k *Keeper) Refresh(ctx context.Context) error { return k.annotation.refresh(ctx) }

// Reach plays what others have stored when the image is behind what a reader has
// seen, whose Last can be unknown. O(their events), or O(all events) when they reach
// back further than the image remembers.
func (k *Keeper) Reach(ctx context.Context, head segment.Head) error {
	return k.annotation.reach(ctx, head)
}

// ForgetPast frees what the history took, unless somebody is reading it.
func (k *Keeper) ForgetPast() { k.annotation.past.drop() }

// Footprint estimates the image's memory in bytes, without what it remembers in the
// assistant's cache.
func (k *Keeper) Footprint() int64 { return k.annotation.footprint() }

// Remembered estimates the bytes of the latter.
func (k *Keeper) Remembered() int64 { return int64(k.annotation.assistant.Remembered()) }
