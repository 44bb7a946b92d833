package postgres

import (
	"context"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/segment"
	"collie/storage/postgres/postgrestest"
	"collie/storage/storagetest"
)

// Connections break before a statement arrives, after it was done but before its
// answer, and long before it arrives: each event is stored once and acknowledged. The
// control sends events again without looking for them, and is refused although they
// are stored.
func TestBrokenConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	t.Parallel()
	server := postgrestest.MustStart(t)
	address := server.MustURL(t, t.TempDir())
	proxy := startProxy(t, server.Folder())
	direct, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("host", proxy.folder)
	u.RawQuery = query.Encode()
	s, err := Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	proxy.breaks.Store(5)
	const images = 4
	each := storagetest.Rounds(20, 1000)
	ids := mustMakeImages(t, direct, images)
	var wait sync.WaitGroup
	for _, id := range ids {
		wait.Go(func() {
			for seq := range each {
				e := segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{1}, Created: time.Now()}
				for {
					err := s.Append(context.Background(), id, seq, e, segment.Progress{})
					if err == nil {
						break
					}
					if segment.KindOf(err) == segment.Conflict { // as Annotation.Append does
						stored, findErr := s.FindEvent(context.Background(), id, e.ID)
						if findErr != nil {
							continue
						}
						if stored != nil && stored.Seq == seq+1 {
							break
						}
					}
					if segment.KindOf(err) != segment.Unavailable {
						t.Errorf("Append: %v", err)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d connections broken, %d of them with the statement done, %d before it arrived late", proxy.broken.Load(), proxy.done.Load(), proxy.late.Load())
	if proxy.done.Load() == 0 || proxy.late.Load() == 0 {
		t.Error("too few connections broke, so the test shows little")
	}
	for _, id := range ids {
		events, err := direct.Events(t.Context(), id, 0)
		if err != nil || len(events) != each {
			t.Errorf("%d events, %v", len(events), err)
		}
	}

	refused, tries := 0, 0
	for ; refused == 0 && tries < 500; tries++ {
		id := mustMakeImages(t, direct, 1)[0]
		e := segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{1}, Created: time.Now()}
		err := s.append(t.Context(), id, 0, []segment.Event{e}, segment.Progress{})
		for unknown(err) {
			err = s.append(t.Context(), id, 0, []segment.Event{e}, segment.Progress{})
		}
		if segment.KindOf(err) == segment.Conflict {
			refused++
		}
	}
	if refused == 0 {
		t.Error("the control refuses nothing, so the test shows nothing")
	}
	t.Logf("control: event %d is refused although it is stored", tries)
}

// proxy passes PostgreSQL's messages on, over Unix sockets, and breaks connections
// at the worst moments. Toxiproxy, which other tests use, can't tell those apart from
// others and doesn't know Unix sockets.
type proxy struct {
	folder             string       // of its socket
	breaks             atomic.Int64 // a message in so many breaks its connection, 0: none
	broken, done, late atomic.Int64 // what it has done
}

const socket = ".s.PGSQL.5432"

// startProxy starts a proxy before the server with its socket in a folder.
func startProxy(t *testing.T, server string) *proxy {
	t.Helper()
	folder, err := os.MkdirTemp("", "proxy") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(folder, socket))
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{folder: folder}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			database, err := net.Dial("unix", filepath.Join(server, socket))
			if err != nil {
				t.Error(err)
				client.Close()
				continue
			}
			running.Go(func() { p.pass(client, database) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
		os.RemoveAll(folder)
	})
	return p
}

// pass serves a connection until it ends or is broken.
func (p *proxy) pass(client, database net.Conn) {
	var cut atomic.Bool // the client's connection is closed, and answers are thrown away
	answered := make(chan struct{}, 1)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer database.Close()
	defer client.Close()
	wait.Go(func() {
		defer client.Close()
		b := make([]byte, 1<<16)
		for {
			n, err := database.Read(b)
			if err != nil {
				return
			}
			if cut.Load() {
				select {
				case answered <- struct{}{}:
				default:
				}
			} else if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
	})
	b := make([]byte, 1<<16)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		breaks := p.breaks.Load()
		if breaks == 0 || rand.N(breaks) > 0 {
			if _, err := database.Write(b[:n]); err != nil {
				return
			}
			continue
		}
		p.broken.Add(1)
		switch rand.N(3) {
		case 0: // it doesn't arrive
			return
		case 1: // it is done, its answer is lost
			p.done.Add(1)
			cut.Store(true)
		case 2: // it arrives when the client has given up
			p.late.Add(1)
			cut.Store(true)
			client.Close()
			time.Sleep(rand.N(100 * time.Millisecond))
		}
		if _, err := database.Write(b[:n]); err != nil {
			return
		}
		select {
		case <-answered:
		case <-time.After(time.Second):
		}
		return
	}
}
