package listen

import "testing"

// Connections take neither the last files nor much of the memory.
func TestMostConnections(t *testing.T) {
	for _, c := range []struct {
		eighths, files uint64
		memory         int64
		want           int
	}{
		{6, 0, 0, 1 << 20},             // nothing is known
		{6, 160, 0, 120},               // a shell's ulimit
		{6, 1 << 20, 1 << 30, 4096},    // a small server: at most 256 MiB
		{6, 1024, 64 << 30, 768},       // few files, much memory
		{1, 1024, 64 << 30, 128},       // --listen-http
		{6, 1 << 30, 1 << 40, 1 << 20}, // more than there are ports
		{6, 4, 1, 1},
	} {
		if got := most(c.eighths, c.files, c.memory); got != c.want {
			t.Errorf("%d/8 of %d files, %d bytes: %d connections, want %d", c.eighths, c.files, c.memory, got, c.want)
		}
	}
}
