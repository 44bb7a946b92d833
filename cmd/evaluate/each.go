package main

import "collie/cmd/internal/progress"

// each calls do for 0 to n-1 on all cores, see progress.Each.
func (t *terminal) each(n int, do func(i int) error) error {
	return progress.Each(t.ctx, t.bar, "", n, do)
}
