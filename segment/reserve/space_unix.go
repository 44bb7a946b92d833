//go:build linux || darwin || freebsd || dragonfly

package reserve

import (
	"errors"
	"os"
	"syscall"
)

// space returns the bytes that this program's user can write, and all bytes of the disk.
func space(file *os.File) (free, total int64, err error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var s syscall.Statfs_t
	control := conn.Control(func(fd uintptr) { err = syscall.Fstatfs(int(fd), &s) })
	return int64(s.Bavail) * unit(&s), int64(s.Blocks) * unit(&s), errors.Join(control, err)
}
