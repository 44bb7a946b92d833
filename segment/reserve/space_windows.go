package reserve

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// space returns the bytes that this program's user can write, and all bytes of the disk.
func space(file *os.File) (free, total int64, err error) {
	folder, err := windows.UTF16PtrFromString(filepath.Dir(file.Name()))
	if err != nil {
		return 0, 0, err
	}
	var available, all uint64
	err = windows.GetDiskFreeSpaceEx(folder, &available, &all, nil)
	return int64(available), int64(all), err
}
