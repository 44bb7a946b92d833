package machine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/cmd/server/machine"
)

// A service has the least of its own limit and those of the slices that it is in.
func TestMemoryOfAService(t *testing.T) {
	const service, slice = "sys/fs/cgroup/system.slice/collie.service/memory.max", "sys/fs/cgroup/system.slice/memory.max"
	for _, c := range []struct {
		group, service, slice string
		want                  int64
	}{
		{"0::/system.slice/collie.service", "max", "max", 16 << 30},
		{"0::/system.slice/collie.service", "2147483648", "max", 2 << 30},
		{"1:name=systemd:/\n0::/system.slice/collie.service", "2147483648", "1073741824", 1 << 30},
		{"0::/system.slice", "1073741824", "max", 16 << 30},
		{"0::/../elsewhere", "1073741824", "1073741824", 16 << 30},
		{"9:memory:/docker/1", "1073741824", "1073741824", 16 << 30},
	} {
		root := t.TempDir()
		put(t, root, map[string]string{"proc/self/cgroup": c.group + "\n", "proc/meminfo": "MemTotal: 16777216 kB\n", service: c.service + "\n", slice: c.slice + "\n"})
		if got := machine.Memory(root); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// So has one where groups are of version 1. A container that sees only its own group, as
// the root, has the limit there.
func TestMemoryOfVersion1(t *testing.T) {
	const group, unlimited = "12:cpu,cpuacct:/other\n9:memory:/system.slice/collie.service\n1:name=systemd:/other\n0::/other\n", "9223372036854771712"
	for _, c := range []struct {
		service, slice, root string
		want                 int64
	}{
		{unlimited, unlimited, unlimited, 16 << 30},
		{"2147483648", unlimited, unlimited, 2 << 30},
		{"2147483648", "1073741824", unlimited, 1 << 30},
		{"", "", "1073741824", 1 << 30},
	} {
		root := t.TempDir()
		files := map[string]string{"proc/self/cgroup": group, "proc/meminfo": "MemTotal: 16777216 kB\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": c.root + "\n"}
		if c.service != "" {
			files["sys/fs/cgroup/memory/system.slice/collie.service/memory.limit_in_bytes"] = c.service + "\n"
			files["sys/fs/cgroup/memory/system.slice/memory.limit_in_bytes"] = c.slice + "\n"
		}
		put(t, root, files)
		if got := machine.Memory(root); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// put writes files below root.
func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

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
			put(t, root, map[string]string{name: files[name]})
		}
		if got := machine.Memory(root); got != want {
			t.Errorf("with files %q: %d, want %d", present, got, want)
		}
	}
}
