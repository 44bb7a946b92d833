// Package machine says what the machine or the container has that the program
// runs on.
package machine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory is the memory in bytes that the machine or the container has, as
// the files below root say; 0 when none does.
func Memory(root string) int64 {
	least := int64(0)
	for _, name := range []string{
		"sys/fs/cgroup/memory.max",                   // of a container, cgroup version 2
		"sys/fs/cgroup/memory/memory.limit_in_bytes", // version 1
		"proc/meminfo",
	} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // not on every system
		}
		text, unit := strings.TrimSpace(string(b)), int64(1)
		if rest, ok := strings.CutPrefix(text, "MemTotal:"); ok {
			text, _, _ = strings.Cut(strings.TrimSpace(rest), " kB")
			unit = 1 << 10
		}
		if n, err := strconv.ParseInt(text, 10, 50); err == nil && n > 0 && (least == 0 || n*unit < least) { // "max" is no number
			least = n * unit
		}
	}
	return least
}
