// Package s3test starts private S3 servers for tests.
package s3test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"collie/sharedtest"
)

// Keys of the server, which Start puts into the environment.
const (
	access = "collie-test"
	secret = "collie-test-secret"
)

// Server is a versitygw on a folder, with one bucket.
type Server struct {
	Dir  string // its files
	host string
	path string
	cmd  *exec.Cmd
}

// Bucket is the name of the server's bucket.
const Bucket = "collie"

// program finds versitygw.
func program() (string, error) {
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path, nil
	}
	gopath, err := exec.Command("go", "env", "GOPATH").Output()
	if err != nil {
		return "", err
	}
	return exec.LookPath(filepath.Join(string(gopath[:len(gopath)-1]), "bin", "versitygw"))
}

// Start starts a server on a folder, in which it makes the bucket if needed, and
// puts its keys into the environment of this process. Stop it.
func Start(dir string) (*Server, error) {
	path, err := program()
	if err != nil {
		return nil, fmt.Errorf("needs the S3 server versitygw: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	if err := os.MkdirAll(filepath.Join(dir, Bucket), 0o700); err != nil {
		return nil, err
	}
	host, err := sharedtest.Address()
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, host: host, path: path}
	os.Setenv("AWS_ACCESS_KEY_ID", access)
	os.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	return s, s.Resume()
}

// Resume starts the server again, at the same port.
func (s *Server) Resume() error {
	s.cmd = exec.Command(s.path, "--quiet", "--port", s.host, "--access", access, "--secret", secret, "posix", s.Dir)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Host())
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(end) {
			s.Stop()
			return fmt.Errorf("versitygw did not start: %w", err)
		}
	}
}

// MustFreeze makes the server say nothing to anybody, and thaw goes on.
func (s *Server) MustFreeze(tb testing.TB) (thaw func()) {
	tb.Helper()
	return sharedtest.MustFreeze(tb, s.cmd.Process)
}

// Stop kills the server.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Host is the address and the port of the server.
func (s *Server) Host() string { return s.host }

// Address is the address of the bucket, for --blobs.
func (s *Server) Address() string {
	return fmt.Sprintf("s3://%s?endpoint=http://%s&region=us-east-1", Bucket, s.Host())
}

// MustStart starts a server for one test, or skips the test where that is not
// possible, and with -short.
func MustStart(tb testing.TB) *Server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped with -short: starts an S3 server")
	}
	s, err := Start(tb.TempDir())
	if s == nil {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Stop)
	return s
}
