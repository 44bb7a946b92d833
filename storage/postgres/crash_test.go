package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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
	t.Logf("%d of %d acknowledged events lost; the control lost %d of %d", len(lost), acked, len(gone), few)
}

// crash kills and restarts the server in rounds while events are appended, and
// returns how many were acknowledged and which of them are lost. Connections are
// set up with setUp, if there is one.
func crash(t *testing.T, server *postgrestest.Server, name string, rounds int, setUp func(context.Context, *pgx.Conn) error) (acked int, lost []string) {
	t.Helper()
	s, err := Open(t.Context(), server.MustURL(t, name))
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
	clients := startEdits(t, s, 6, setUp != nil)
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
	return clients.end()
}

// The power of the database's disk is cut while many append: what was acknowledged
// is there afterwards. The control doesn't sync, and loses it.
func TestPowerCut(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	t.Parallel()
	disk := storagetest.NewDisk(t)
	server := postgrestest.MustStartOn(t, disk.Dir)
	cuts := storagetest.Rounds(3, 30)
	acked, lost := cutPower(t, disk, server, cuts, false)
	t.Logf("%d power cuts: %d events acknowledged, %d lost", cuts, acked, len(lost))
	if len(lost) > 0 || acked == 0 {
		t.Errorf("lost %d of %d acknowledged events", len(lost), acked)
	}
	acked, lost = cutPower(t, disk, server, 1, true)
	t.Logf("control, one power cut with fsync off: %d events acknowledged, %d lost", acked, len(lost))
	if len(lost) == 0 {
		t.Error("the control has lost nothing, so the test shows nothing")
	}
}

// cutPower returns how many events were acknowledged and which of them are lost
// after power cuts. What is acknowledged after a cut doesn't count: here the
// processor goes on, and a sync that had begun before can return as if all were well.
func cutPower(t *testing.T, disk *storagetest.Disk, server *postgrestest.Server, cuts int, careless bool) (acked int, lost []string) {
	t.Helper()
	s, err := Open(t.Context(), server.MustURL(t, fmt.Sprint("careless ", careless)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	limit := time.Minute
	if careless { // from now on; Open refuses such a database
		limit = 5 * time.Second
		for _, statement := range []string{"ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"} {
			if _, err := s.pool.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	clients := startEdits(t, s, 6, true)
	for range cuts {
		time.Sleep(100*time.Millisecond + rand.N(300*time.Millisecond))
		clients.count(false)
		disk.Cut()
		if err := server.Kill(); err != nil {
			t.Error(err)
		}
		disk.Back()
		if err := server.StartWithin(limit); err != nil && careless {
			t.Log("the control's database doesn't start any more")
		} else if err != nil {
			t.Fatal(err)
		}
		clients.count(true)
	}
	time.Sleep(100 * time.Millisecond)
	return clients.end()
}
