// Package machine says what the machine or the container has that the program
// runs on.
package machine

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Memory is the memory in bytes that the machine, the container or the service has,
// as the files below root say; 0 when none does.
func Memory(root string) int64 {
	least := int64(0)
	for _, name := range append(groups(root), "proc/meminfo") {
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

// groups are the files with the limits of this process's group, cgroup version 2 or 1,
// and of those that it is in: a container sees only itself, as the root, while a service
// of systemd can have a limit of its own (MemoryMax, MemoryLimit) and be in a slice with
// another.
func groups(root string) (files []string) {
	b, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // not on every system
	two, one := "/", "/"
	for line := range strings.Lines(string(b)) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, name, _ := strings.Cut(rest, ":")
		if number == "0" {
			two = path.Join("/", name)
		} else if slices.Contains(strings.Split(controllers, ","), "memory") {
			one = path.Join("/", name)
		}
	}
	return append(upwards("sys/fs/cgroup", two, "memory.max"), upwards("sys/fs/cgroup/memory", one, "memory.limit_in_bytes")...)
}

// upwards are the files of a name in a group, and in all that it is in.
func upwards(groups, group, name string) (files []string) {
	for ; ; group = path.Dir(group) {
		files = append(files, path.Join(groups, group, name))
		if group == "/" {
			return files
		}
	}
}
