package archive

import (
	"bytes"
	"encoding/binary"
	"io"
)

// stated is the number of entries that the end record of the archive states, 0
// without an end record (APPNOTE.TXT, 4.3.14 to 4.3.16).
func stated(r io.ReaderAt, size int64) uint64 {
	const (
		endBytes      = 22
		locatorBytes  = 20
		longBytes     = 56
		longestRemark = 1<<16 - 1
	)
	le := binary.LittleEndian
	tail := make([]byte, min(size, endBytes+locatorBytes+longestRemark))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return 0
	}
	at := bytes.LastIndex(tail[:max(0, len(tail)-endBytes+4)], []byte("PK\x05\x06"))
	if at < 0 {
		return 0
	}
	entries := uint64(le.Uint16(tail[at+10:]))
	if at < locatorBytes || !bytes.HasPrefix(tail[at-locatorBytes:], []byte("PK\x06\x07")) {
		return entries
	}
	long := make([]byte, longBytes)
	if _, err := r.ReadAt(long, int64(le.Uint64(tail[at-locatorBytes+8:]))); err != nil || !bytes.HasPrefix(long, []byte("PK\x06\x06")) {
		return entries
	}
	return max(entries, le.Uint64(long[32:]))
}
