package reserve_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
	"testing"

	"collie/segment/reserve"
)

// A file system that likes to transfer more than it counts in, as many in user space do,
// has no more space for that.
func TestSpaceOfLargeTransfers(t *testing.T) {
	fuse, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("file systems in user space are not possible here:", err)
	}
	dir := t.TempDir()
	if err := syscall.Mount("space", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse)); err != nil {
		syscall.Close(fuse)
		t.Skip("needs root:", err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(fuse)
	}()
	defer func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		<-served
		syscall.Close(fuse)
	}()
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if free, kept, ok := reserve.Space(folder); free != 1000*4096 || kept != 20_000*4096/20 || !ok {
		t.Errorf("%d bytes are free, %d of them the reserve, %v; want %d and %d", free, kept, ok, 1000*4096, 20_000*4096/20)
	}
}

// serve answers the kernel's requests, see fuse(4), about an empty folder on a disk of
// 20,000 blocks of 4 KiB, of which 1,000 are free, until it is unmounted.
func serve(fuse int) {
	le := binary.LittleEndian
	request := make([]byte, 128<<10)
	for {
		if _, err := syscall.Read(fuse, request); err != nil {
			return
		}
		answer := make([]byte, 16, 128) // its length, an error, and the request's number
		copy(answer[8:], request[8:16])
		switch le.Uint32(request[4:]) {
		case 26: // init: version 7.31
			answer = answer[:16+64]
			le.PutUint32(answer[16:], 7)
			le.PutUint32(answer[20:], 31)
		case 3: // attributes of the folder
			answer = answer[:16+104]
			le.PutUint64(answer[16+16:], 1)
			le.PutUint32(answer[16+76:], syscall.S_IFDIR|0o755)
		case 27: // open
			answer = answer[:16+16]
		case 17: // space
			answer = answer[:16+80]
			le.PutUint64(answer[16:], 20_000)
			le.PutUint64(answer[24:], 1000)
			le.PutUint64(answer[32:], 1000)
			le.PutUint32(answer[56:], 1<<20)
			le.PutUint32(answer[64:], 4096)
		case 2, 42: // forget, which has no answer
			continue
		default:
			le.PutUint32(answer[4:], ^uint32(syscall.ENOSYS)+1) // negative
		}
		le.PutUint32(answer, uint32(len(answer)))
		if _, err := syscall.Write(fuse, answer); err != nil {
			return
		}
	}
}
