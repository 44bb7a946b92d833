package web

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"collie/web/live"
)

// idleSocket opens the image's socket with as little memory on this side as
// possible, says hello and reads messages until the sequence is done.
func idleSocket(t *testing.T, s *site, imageID string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /api/v1/images/%s/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n", imageID)
	r := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	hello := `{"type":"hello"}`
	if _, err := conn.Write(append([]byte{0x81, 0x80 | byte(len(hello)), 0, 0, 0, 0}, hello...)); err != nil {
		t.Fatal(err)
	}
	for {
		if message := readFrame(t, r); strings.HasPrefix(message, `{"type":"done"`) {
			return conn
		}
	}
}

// readFrame reads one unmasked frame.
func readFrame(t *testing.T, r io.Reader) string {
	t.Helper()
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	length := int(head[1])
	if length == 126 {
		var long [2]byte
		if _, err := io.ReadFull(r, long[:]); err != nil {
			t.Fatal(err)
		}
		length = int(binary.BigEndian.Uint16(long[:]))
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(r, message); err != nil {
		t.Fatal(err)
	}
	return string(message)
}

// memory is what the heap and the stacks take.
func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A page that is open and quiet takes at most 30 KiB.
func TestIdleSocketsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: measures memory")
	}
	const most, count = 30 << 10, 150
	s := mustServe(t, Limits{Socket: live.Limits{Sockets: 2 * count, PingEvery: time.Hour, PongWithin: 2 * time.Hour}})
	im := s.photo()
	s.clickThree("/api/v1/images/" + im.ID)
	idleSocket(t, s, im.ID) // opens the image
	before, goroutines := memory(), runtime.NumGoroutine()
	for range count {
		idleSocket(t, s, im.ID)
	}
	each := (memory() - before) / count
	perSocket := float64(runtime.NumGoroutine()-goroutines) / count
	t.Logf("%d bytes and %.1f goroutines per idle socket", each, perSocket)
	if each > most || perSocket > 2.5 {
		t.Errorf("an idle socket takes %d bytes and %.1f goroutines, want at most %d and 2", each, perSocket, most)
	}
	if n := s.server.Sockets(); n != count+1 {
		t.Errorf("%d sockets are counted, want %d", n, count+1)
	}
}
