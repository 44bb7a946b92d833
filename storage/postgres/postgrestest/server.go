// Package postgrestest starts a private PostgreSQL for the tests of a package: in
// a temporary folder, on a Unix socket, and ended with the tests.
package postgrestest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// variable tells processes that a test starts where the server is.
const variable = "COLLIE_TEST_POSTGRES"

// Server is a PostgreSQL server of one test binary, or of one test.
type Server struct {
	folder string // of the socket
	data   string // its folder
	bin    string // folder of PostgreSQL's programs
	run    *exec.Cmd
	ended  chan struct{} // closed when run has ended
}

var shared struct {
	sync.Mutex
	managed bool // by Main
	server  *Server
	err     error
}

// Main runs the tests of a package and ends the server that they share, if they
// have started one. Call it from TestMain.
func Main(m *testing.M) int {
	shared.managed = true
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil && shared.server.run != nil {
		if err := shared.server.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, "ending PostgreSQL:", err)
			code = max(code, 1)
		}
	}
	return code
}

// MustStart returns the server that the tests of a package share, and starts it
// for the first one that asks. Without PostgreSQL, and with -short, the test is skipped.
func MustStart(tb testing.TB) *Server {
	tb.Helper()
	skipShort(tb)
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		if folder := os.Getenv(variable); folder != "" {
			shared.server = &Server{folder: folder, bin: programs()}
		} else if !shared.managed {
			tb.Fatal("TestMain doesn't call postgrestest.Main")
		} else if shared.server, shared.err = start(""); shared.err == nil {
			os.Setenv(variable, shared.server.folder)
		}
	}
	if errors.Is(shared.err, errMissing) {
		tb.Skip(shared.err)
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.server
}

// MustStartOwn starts a server for one test, which can do it harm.
func MustStartOwn(tb testing.TB) *Server {
	tb.Helper()
	return mustStart(tb, "")
}

// MustStartOn is MustStartOwn for a server whose data is on a disk that the test can
// do harm, synced before the first harm is done.
func MustStartOn(tb testing.TB, disk string) *Server {
	tb.Helper()
	Admit(tb, disk)
	return mustStart(tb, disk)
}

// Admit lets PostgreSQL, which is not root, into a folder that tb.TempDir made.
func Admit(tb testing.TB, dir string) {
	tb.Helper()
	for _, dir := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(dir, 0o711); err != nil {
			tb.Fatal(err)
		}
	}
}

// Own gives PostgreSQL a folder.
func Own(tb testing.TB, dir string) {
	tb.Helper()
	if err := own(dir); err != nil {
		tb.Fatal(err)
	}
}

// skipShort keeps a database out of the tests for daily work.
func skipShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped with -short: starts PostgreSQL")
	}
}

func mustStart(tb testing.TB, disk string) *Server {
	tb.Helper()
	skipShort(tb)
	s, err := start(disk)
	if errors.Is(err, errMissing) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Remove(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

var errMissing = errors.New("skipped: PostgreSQL's programs initdb and postgres are not installed (Debian: apt-get install postgresql)")

// programs returns the folder of PostgreSQL's programs, which Debian has beside the
// usual ones, or "".
func programs() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	if len(found) == 0 {
		return ""
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return release(a) - release(b) })
	return filepath.Dir(newest)
}

// release is the number of the release that a program of Debian belongs to.
func release(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // 0: no number
	return n
}

// start makes a server with its data on a disk, or with "" wherever it is fast.
func start(disk string) (*Server, error) {
	s := &Server{bin: programs()}
	if s.bin == "" {
		return nil, errMissing
	}
	var err error
	if s.folder, err = os.MkdirTemp(memory(), "collie-postgres-"); err != nil {
		return nil, err
	}
	s.data = filepath.Join(s.folder, "data")
	if disk != "" {
		s.data = filepath.Join(disk, "data")
	}
	if err := s.create(disk != ""); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	return s, nil
}

// create makes the folder with the data. The settings are in a file, so that a
// server that starts again has them, too. On a disk, which is small, all is synced.
func (s *Server) create(disk bool) error {
	if err := os.MkdirAll(s.data, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{s.folder, s.data} {
		if err := own(dir); err != nil {
			return err
		}
	}
	if err := os.Chmod(s.folder, 0o755); err != nil {
		return err
	}
	cmd := s.command("initdb", "--pgdata", s.data, "--username", "collie", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--wal-segsize", "1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	settings, err := os.OpenFile(filepath.Join(s.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(settings, "\nlisten_addresses = ''\nunix_socket_directories = '%s'\nmax_connections = 300\nshared_buffers = 32MB\nlog_min_messages = fatal\n", s.folder)
	if disk {
		_, small := fmt.Fprint(settings, "min_wal_size = 4MB\nmax_wal_size = 16MB\n")
		err = errors.Join(err, small)
	}
	err = errors.Join(err, settings.Close())
	if disk {
		err = errors.Join(err, exec.Command("sync", "--file-system", s.data).Run())
	}
	return err
}

// Folder holds the server's socket.
func (s *Server) Folder() string { return s.folder }

// command is a program of PostgreSQL, which never runs as root.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.folder
	demote(cmd)
	return cmd
}

// Start starts the server and waits until it answers.
func (s *Server) Start() error { return s.StartWithin(time.Minute) }

// StartWithin is Start with a limit.
func (s *Server) StartWithin(patience time.Duration) error {
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	for limit := time.Now().Add(patience); ; {
		s.run, s.ended = s.command("postgres", "-D", s.data), make(chan struct{})
		s.run.Stdout, s.run.Stderr = log, log
		if err := s.run.Start(); err != nil {
			return err
		}
		go func(run *exec.Cmd, ended chan struct{}) {
			_ = run.Wait() // its code says nothing of interest
			close(ended)
		}(s.run, s.ended)
		err := s.answers(limit)
		if err == nil {
			return nil
		}
		if time.Now().After(limit) {
			text, _ := os.ReadFile(log.Name()) // the error says enough
			return errors.Join(fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, text), s.Kill())
		}
		time.Sleep(50 * time.Millisecond) // some process of a server that was killed still holds the data
	}
}

// answers waits until the server answers or ends.
func (s *Server) answers(limit time.Time) error {
	for {
		err := s.psql("SELECT 1")
		if err == nil || time.Now().After(limit) {
			return err
		}
		select {
		case <-s.ended:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill kills all of the server's processes at once.
func (s *Server) Kill() error {
	children, err := exec.Command("pgrep", "--parent", strconv.Itoa(s.run.Process.Pid)).Output()
	if none := new(exec.ExitError); errors.As(err, &none) && none.ExitCode() == 1 {
		err = nil // it has no children left
	}
	if killed := s.run.Process.Kill(); !errors.Is(killed, os.ErrProcessDone) {
		err = errors.Join(err, killed)
	}
	for _, line := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(line); err == nil {
			if child, err := os.FindProcess(pid); err == nil {
				_ = child.Kill() // it may be gone by now
			}
		}
	}
	<-s.ended
	return err
}

// Remove ends the server and removes its folder.
func (s *Server) Remove() error {
	err := s.run.Process.Signal(syscall.SIGINT) // ends sessions, too
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	if err == nil {
		<-s.ended
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}
