// Package output keeps what a program prints from getting lost unnoticed, for
// example on a full disk.
package output

import (
	"fmt"
	"io"
)

// Printed passes on what a program prints. Its writes never fail, so that files are
// still written after them; the first error is in Err.
type Printed struct {
	To  io.Writer
	Err error
}

// Write prints b unless an earlier write has failed.
func (p *Printed) Write(b []byte) (int, error) {
	if p.Err == nil {
		if _, err := p.To.Write(b); err != nil {
			p.Err = fmt.Errorf("not everything could be printed: %w", err)
		}
	}
	return len(b), nil
}
