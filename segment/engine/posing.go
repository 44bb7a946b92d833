package engine

import (
	"context"
	"time"

	"collie/herding"
	"collie/herding/ask"
	"collie/segment/schedule"
)

// part is how long clicks are compared in one step. Of usual evidence all are.
const part = 100 * time.Millisecond

// problem returns the problem, which is read only. If it has to be posed, that is done in
// turns of the given class. It needs two classes in play.
func (s *Sequence) problem(ctx context.Context, class schedule.Class) (p *herding.Problem, err error) {
	if p := s.posed.Load(); p != nil {
		return p, nil
	}
	err = s.compareFirst(ctx, class, func() error {
		p, err = s.present()
		return err
	})
	return p, err
}

// compareFirst makes a step of the stream that needs the problem, after comparing with
// the clicks in turns before it.
func (s *Sequence) compareFirst(ctx context.Context, class schedule.Class, step func() error) error {
	for left := true; left; {
		err := s.work(ctx, class, func() error {
			if left = s.compareSome(); left {
				return nil
			}
			return step()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareSome compares with some of the clicks if the problem needs that, and reports
// whether any are left. The caller holds the lock for working.
func (s *Sequence) compareSome() (left bool) {
	if s.posed.Load() != nil {
		return false
	}
	if s.compared == nil {
		s.compared = s.compare()
	}
	return s.compared.some(s.part)
}

// present returns the problem after compareSome. The caller holds the lock for working.
func (s *Sequence) present() (*herding.Problem, error) {
	if p := s.posed.Load(); p != nil {
		return p, nil
	}
	p, err := s.pose(s.compared.sums())
	if err == nil {
		s.compared = nil
		s.posed.Store(p)
	}
	return p, err
}

// after is Model.after of the problem. The clicks are compared in turns of the given class.
func (s *Sequence) after(ctx context.Context, class schedule.Class, p *herding.Problem) (after ask.After, err error) {
	var compared *comparison
	for err == nil && after == nil {
		err = s.run(ctx, class, func() error {
			if compared == nil {
				compared = s.compare()
			}
			if !compared.some(s.part) {
				after = s.model.after(compared.sums(), p.Model.Fixed, p.Model.Labels, s.pull())
			}
			return nil
		})
	}
	return after, err
}
