package disk

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/windows"
)

// Flush flushes an open file, or the names in an open folder, to the disk. Windows
// flushes only what is open for writing, so it is opened again: package os opens no
// folder for that. Not every file system can flush a folder; then nothing can be done.
func Flush(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := flush(file.Name()); err != nil && !(info.IsDir() && isRefusal(err)) {
		return &os.PathError{Op: "sync", Path: file.Name(), Err: err}
	}
	return nil
}

func flush(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.GENERIC_WRITE, shared, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return err
	}
	return errors.Join(windows.FlushFileBuffers(handle), windows.CloseHandle(handle))
}

// isRefusal reports whether a flush was refused, rather than tried and failed.
func isRefusal(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && slices.Contains([]syscall.Errno{
		windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_INVALID_FUNCTION,
		windows.ERROR_INVALID_PARAMETER, windows.ERROR_NOT_SUPPORTED,
	}, code)
}
