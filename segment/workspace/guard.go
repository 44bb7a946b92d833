package workspace

import (
	"context"
	"errors"
	"sync/atomic"

	"collie/segment"
	"collie/segment/access"
)

// guard decides whether the principal of a context can do something. All parts
// of a workspace share one.
type guard struct{ strict atomic.Bool }

// Guard makes the workspace ask, from now on, who calls: a call whose context
// carries no [access.Principal] is refused. A server does so before its first
// request, so that a forgotten principal locks out rather than lets in. Without
// it such calls are taken for the program's own.
func (w *Workspace) Guard() { w.guard.strict.Store(true) }

// May returns an Error of kind NotFound when the principal of ctx may not do a.
// It is asked before anything is looked up, so that its answer is the same for
// what is there and what is not.
func (w *Workspace) May(ctx context.Context, a access.Action) error { return w.guard.may(ctx, a) }

func (g *guard) may(ctx context.Context, a access.Action) error {
	p, ok := access.From(ctx)
	switch {
	case !ok && !g.strict.Load():
		return nil
	case !ok:
		return denied(access.Nobody).Because(errors.New("the context carries no principal"))
	case !p.Role.May(a):
		return denied(p.Role)
	}
	return nil
}

func denied(r access.Role) *segment.Error {
	return segment.Errorf(segment.NotFound, "This doesn't exist, or your role (%s) can't access it. Nothing was changed.", r)
}
