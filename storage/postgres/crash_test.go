package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"collie/segment"
	"collie/storage/postgres/postgrestest"
	"collie/storage/storagetest"
)

// All of the database's processes are killed while many append: what was
// acknowledged is there afterwards, once, and no log has a gap. The control
// acknowledges commits that are not on the disk, and loses some.
func TestCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	t.Parallel()
	server := postgrestest.MustStartOwn(t)
	acked, lost := crash(t, server, "durable", storagetest.Rounds(3, 30), nil)
	if len(lost) > 0 || acked == 0 {
		t.Errorf("lost %d of %d acknowledged events: %v", len(lost), acked, lost)
	}
	careless := func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SET synchronous_commit = off")
		return err
	}
	few, gone := crash(t, server, "careless", 1, careless)
	for rounds := 0; len(gone) == 0 && rounds < 5; rounds++ {
		few, gone = crash(t, server, fmt.Sprint("careless ", rounds), 1, careless)
	}
	if len(gone) == 0 {
		t.Error("the control has lost nothing, so the test shows nothing")
	}
	t.Logf("0 of %d acknowledged events lost; the control lost %d of %d", acked, len(gone), few)
}

// crash kills and restarts the server in rounds while events are appended, and
// returns how many were acknowledged and which of them are lost. Connections are
// set up with setUp, if there is one.
func crash(t *testing.T, server *postgrestest.Server, name string, rounds int, setUp func(context.Context, *pgx.Conn) error) (acked int, lost []string) {
	t.Helper()
	url := server.MustURL(t, name)
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if setUp != nil {
		config := s.pool.Config()
		config.AfterConnect = setUp
		s.pool.Close()
		if s.pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	p := segment.Project{ID: segment.NewID(), Name: "p", Classes: segment.DefaultClasses(), Created: time.Now()}
	if err := s.CreateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	const images = 6
	logs := make([][]string, images) // what was acknowledged of each image, in order
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var ids []string
	for i := range images {
		im := segment.Image{ID: segment.NewID(), ProjectID: p.ID, Name: "im", Format: "png", Width: 10, Height: 10, Regions: 5, Bytes: 1, Created: time.Now()}
		if err := s.CreateImage(t.Context(), im); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, im.ID)
		wait.Go(func() {
			e := segment.Event{ID: segment.NewID(), Kind: segment.Label, Superpixels: []int32{1}, Created: time.Now()}
			for seq := 0; ; {
				select {
				case <-stop:
					return
				default:
				}
				switch err := s.Append(context.Background(), im.ID, seq, e, segment.Progress{}); {
				case err == nil:
					logs[i] = append(logs[i], e.ID)
					seq++
					e.ID = segment.NewID()
				case segment.KindOf(err) == segment.Conflict && setUp != nil:
					// The control has forgotten events: it goes on from where the log is.
					if now, err := s.Image(context.Background(), im.ID); err == nil {
						seq = now.Seq
					}
				case segment.KindOf(err) == segment.Unavailable:
					time.Sleep(20 * time.Millisecond)
				default:
					t.Errorf("Append: %v", err)
					return
				}
			}
		})
	}
	for range rounds {
		time.Sleep(100*time.Millisecond + rand.N(300*time.Millisecond))
		if err := server.Kill(); err != nil {
			t.Error(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	close(stop)
	wait.Wait()
	for i, id := range ids {
		events, err := s.Events(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for k, e := range events {
			if e.Seq != k+1 || there[e.ID] {
				t.Errorf("place %d of the log has event %d, seen before: %v", k+1, e.Seq, there[e.ID])
			}
			there[e.ID] = true
		}
		for _, e := range logs[i] {
			if acked++; !there[e] {
				lost = append(lost, e)
			}
		}
	}
	return acked, lost
}
