// Package output keeps what a program prints from getting lost unnoticed, for
// example on a full disk.
package output

import "io"

// Printed passes on what a program prints. Its writes never fail, so that files are
// still written after them; the first error is in Err.
type Printed struct {
	To  io.Writer
	Err error
}

// Write prints b unless an earlier write has failed.
func (p *Printed) Write(b []byte) (int, error) {
	if p.Err == nil {
		_, p.Err = p.To.Write(b)
	}
	return len(b), nil
}
