//go:build unix

package disk

import (
	"io/fs"
	"syscall"
)

// owner returns who owns a file.
func owner(info fs.FileInfo) (user, group int) {
	s := info.Sys().(*syscall.Stat_t)
	return int(s.Uid), int(s.Gid)
}
