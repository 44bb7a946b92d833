package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"collie/storage/postgres/postgrestest"
	"collie/storage/s3/s3test"
)

// A server whose migration has to wait for somebody else's transaction says so, and
// starts when that has ended.
func TestWaitingStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: waits for seconds")
	}
	postgres, data := postgrestest.MustStart(t), t.TempDir()
	address := postgres.MustURL(t, data)
	release := postgres.MustHold(t, data, "SELECT pg_advisory_xact_lock(hashtextextended('collie ' || current_schema(), 0))")
	server, log := exec.Command(binary, "--database", address, "--blobs", s3test.MustStart(t).Address()), new(output)
	server.Env = append(os.Environ(), "COLLIE_LISTEN=127.0.0.1:0", "COLLIE_DATA="+data)
	server.Stderr = log
	stdout, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		release()
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	for limit := time.Now().Add(time.Minute); !strings.Contains(log.String(), "still opening the data"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Errorf("in a minute the server has said nothing of what it waits for:\n%s", log)
			break
		}
	}
	release()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !greeting.MatchString(line) {
		t.Errorf("the first line is %q, %v\n%s", line, err, log)
	}
}
