package storagetest

import (
	"os"
	"syscall"
	"unsafe"
)

// shutDown stops the file system that holds dir as if the power had gone: its
// journal is not flushed and every later call fails (EXT4_IOC_SHUTDOWN with
// EXT4_GOING_FLAGS_NOLOGFLUSH).
func shutDown(dir string) error {
	const request, noLogFlush = 0x8004587d, uint32(2)
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	flags := noLogFlush
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&flags))); errno != 0 {
		return errno
	}
	return nil
}
