package main

import (
	"os"
	"runtime/debug"

	"collie/cmd/server/machine"
)

// applyMemory sets the memory that the program tries to stay under, unless the
// environment's GOMEMLIMIT does, and returns it in bytes.
func (l uploadLimits) applyMemory() size {
	if os.Getenv("GOMEMLIMIT") != "" {
		return size(debug.SetMemoryLimit(-1))
	}
	limit := l.Memory
	if limit == 0 {
		limit = 1 << 30
		if all := machine.Memory("/"); all > 0 {
			limit = min(limit, size(all/4*3))
		}
	}
	debug.SetMemoryLimit(int64(limit))
	return limit
}
