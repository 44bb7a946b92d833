package machine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/server/machine"
)

func TestMemory(t *testing.T) {
	files := map[string]string{
		"sys/fs/cgroup/memory.max":                   "4294967296\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		"proc/meminfo":                               "MemTotal:       16384000 kB\nMemFree: 1 kB\n",
	}
	for present, want := range map[string]int64{"": 0, "1": 4 << 30, "2": 0, "3": 16384000 << 10, "12": 4 << 30, "13": 4 << 30, "23": 16384000 << 10} {
		root := t.TempDir()
		i := 0
		for _, name := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes", "proc/meminfo"} {
			i++
			if !strings.Contains(present, fmt.Sprint(i)) {
				continue
			}
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := machine.Memory(root); got != want {
			t.Errorf("with files %q: %d, want %d", present, got, want)
		}
	}
}
