package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

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
	failedGrace    = 3 * time.Second // for answers on their way when the disk has failed
)

// serveCommand serves one data folder; each flag has an environment variable.
type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"COLLIE_LISTEN" help:"Address and port to listen on; port 0 picks a free one."`
	dataFlag
}

// Run serves until ctx is done. It writes one line to standard output once it
// accepts connections, and log lines to standard error. When the disk fails it
// refuses all changes, stops and returns why.
func (s *serveCommand) Run(ctx context.Context, out streams) (err error) {
	if !web.Loopback(s.Listen) {
		return fmt.Errorf("--listen %s could be reached from other machines, and Collie has no login yet: listen on 127.0.0.1, [::1] or localhost", s.Listen)
	}
	log := slog.New(slog.NewTextHandler(out.stderr, nil))
	d, err := openData(ctx, s.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	defer startSweeping(ctx, d.workspace, log)()

	site := web.New(web.Config{Workspace: d.workspace, Ready: d.Ready, Log: log})
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
	fmt.Fprintf(out.stdout, "Collie is at http://%s and keeps its data in %s\n", listener.Addr(), s.Data)

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	case <-d.store.Failed():
	case <-d.blobs.Failed():
	}
	failure := d.Ready(context.WithoutCancel(ctx))
	if failure != nil {
		log.Error("the disk failed, so the server stops", "in", failedGrace, "error", failure)
		time.Sleep(failedGrace)
	}
	log.Info("stopping")
	site.Close() // first, because Shutdown knows nothing of websockets
	limit, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return errors.Join(failure, err, server.Close())
	}
	return failure
}
