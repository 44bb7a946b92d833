package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const million = 1_000_000

// repaired makes an image with a million runs of repaired pixels and returns the
// address of its record.
func (p *process) repaired() string {
	p.tb.Helper()
	const side, events = 2000, 10
	const runs = million / events
	status, body, err := upload(p.project(), "ragged.png", pngOf(p.tb, image.NewGray(image.Rect(0, 0, side, side))))
	var made []struct{ ID string }
	if err == nil {
		err = json.Unmarshal(body, &made)
	}
	if err != nil || len(made) != 1 {
		p.tb.Fatalf("%d %v %s", status, err, body)
	}
	path := "/api/v1/images/" + made[0].ID
	for event := range events {
		var list strings.Builder
		for run := range runs {
			fmt.Fprintf(&list, ",%d,1", 2*(event*runs+run))
		}
		p.repair(path, event, list.String()[1:])
	}
	return path
}

// repair gives runs of pixels a class, after seq other events.
func (p *process) repair(path string, seq int, runs string) {
	p.tb.Helper()
	body := fmt.Sprintf(`{"id":"%d","expected_seq":%d,"kind":"pixels","repairs":[{"class":1,"runs":[%s]}]}`, seq, seq, runs)
	p.post(path+"/evidence", "application/json", []byte(body), nil)
}

// readers ask for an address and take nothing of the answers until they leave.
func (p *process) readers(n int, path string) (leave func()) {
	p.tb.Helper()
	at, err := url.Parse(p.url)
	if err != nil {
		p.tb.Fatal(err)
	}
	var all []net.Conn
	for range n {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			p.tb.Fatal(err)
		}
		all = append(all, conn)
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, at.Host); err != nil {
			p.tb.Fatal(err)
		}
	}
	return func() {
		for _, conn := range all {
			conn.Close()
		}
	}
}

// comesTo waits until an address answers with a status, because the server reads
// requests, and notices that clients have left, in its own time.
func (p *process) comesTo(path string, status int) bool {
	p.tb.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if p.answers(path) == status {
			return true
		}
	}
	return false
}

// TestSlowReaders: 200 clients who ask for an image of 10 MB and don't take it use
// little memory, whether it stays the same or is changed in between. Meanwhile
// another is refused in time; as soon as they have left, it gets the image.
func TestSlowReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: makes an image with a million repairs")
	}
	measuresMemory(t)
	data := t.TempDir()
	p := start(t, data)
	path := p.repaired()
	p.stop()
	for name, rounds := range map[string]int{"of one state": 1, "of many states": 40} {
		t.Run(name, func(t *testing.T) {
			p := start(t, data)
			var record struct {
				Seq     int
				Repairs []struct{ Runs []int32 }
			}
			p.call("GET", path, http.StatusOK, &record)
			alone := peakMemory(t, p.cmd.Process.Pid)
			var leave []func()
			for i := range rounds {
				leave = append(leave, p.readers(200/rounds, path))
				p.repair(path, record.Seq+i, fmt.Sprint(2*million+2*i, ",1"))
			}
			if !p.comesTo(path, http.StatusTooManyRequests) {
				t.Error("one more reader is not refused")
			}
			above := (peakMemory(t, p.cmd.Process.Pid) - alone) >> 20
			t.Logf("200 readers: %d MiB above one", above)
			if above > 500 {
				t.Errorf("the memory rose by %d MiB, want at most 500", above)
			}
			for _, leave := range leave {
				leave()
			}
			p.comesTo(path, http.StatusOK) // when the server has noticed that they have left
			p.call("GET", path, http.StatusOK, &record)
			if len(record.Repairs) != 1 || len(record.Repairs[0].Runs) < 2*million {
				t.Errorf("%d classes with repairs, want 1 with a million runs", len(record.Repairs))
			}
			p.stop()
		})
	}
}

// TestSlowSenders: 300 clients who send most of a label set, and then nothing, use little
// memory: all but a few wait in files, or are refused.
func TestSlowSenders(t *testing.T) {
	measuresMemory(t)
	const clients, received = 300, 8 + 32 // of one user at once, and waiting
	p := start(t, t.TempDir())
	path := strings.TrimSuffix(strings.TrimPrefix(p.project(), p.url), "/images") + "/classes"
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, p.cmd.Process.Pid)
	answered := make(chan string, clients)
	body := strings.Repeat(" ", 1<<20)
	for range clients {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			_, _ = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", path, at.Host, len(body)+1, body)
		}()
		go func() {
			var answer [12]byte
			_, _ = io.ReadFull(conn, answer[:])
			answered <- string(answer[9:])
		}()
	}
	for range clients - received {
		if status := <-answered; status != "429" {
			t.Fatalf("answered with %q, want 429", status)
		}
	}
	above := (peakMemory(t, p.cmd.Process.Pid) - before) >> 20
	t.Logf("%d senders: %d MiB above none", clients, above)
	if above > 100 {
		t.Errorf("the memory rose by %d MiB, want at most 100", above)
	}
}
