// Command server runs Collie: it serves the pages and the interface of one data
// folder on this machine until it is told to stop.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"collie/segment"
	"collie/segment/photo"
	"collie/storage/blob"
	"collie/storage/sqlite"
	"collie/web"
)

// Time limits of a connection. Routes that move or compute much replace the
// two for whole requests by limits for each read and write.
const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 30 * time.Second
	idleTimeout    = 60 * time.Second
	maxHeader      = 16 << 10 // bytes
	stopTimeout    = 10 * time.Second
)

// settings are the flags, each with its environment variable.
type settings struct {
	Listen string `default:"127.0.0.1:8080" env:"COLLIE_LISTEN" help:"Address and port to listen on; port 0 picks a free one."`
	Data   string `default:"./collie-data" env:"COLLIE_DATA" type:"path" help:"Folder that holds everything; made when it is not there."`
}

func main() {
	var s settings
	kong.Parse(&s, kong.Name("server"), kong.Description("Collie: interactive image segmentation in the browser."))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, s, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		stop()
		os.Exit(1)
	}
}

// run serves until ctx is done. It writes one line to stdout once it accepts
// connections, and log lines to stderr.
func run(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	if !web.Loopback(s.Listen) {
		return fmt.Errorf("--listen %s could be reached from other machines, and Collie has no login yet: listen on 127.0.0.1, [::1] or localhost", s.Listen)
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, filepath.Join(s.Data, "collie.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	blobs, err := blob.Open(filepath.Join(s.Data, "blobs"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()

	site := web.New(segment.NewWorkspace(store, blobs, photo.NewGate(photo.Limits{})), store.Ready, log)
	defer site.Close()
	server := &http.Server{
		Handler:           site,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      requestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "Collie is at http://%s and keeps its data in %s\n", listener.Addr(), s.Data)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	site.Close() // first, because Shutdown knows nothing of websockets
	limit, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
