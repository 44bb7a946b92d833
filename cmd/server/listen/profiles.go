package listen

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"collie/web"
)

// Profiles open the profiles of the Go runtime to the person at the machine.
type Profiles struct {
	Pprof string `placeholder:"ADDRESS" env:"COLLIE_PPROF" help:"Serve profiles of the Go runtime at this local address and port, under /debug/pprof/. They reveal what the program does, so other addresses are refused."`
}

// Serve opens the address, if there is one, until the returned function is
// called.
func (p Profiles) Serve(ctx context.Context) (stop func(), err error) {
	if p.Pprof == "" {
		return func() {}, nil
	}
	if _, _, err := Split("--pprof", p.Pprof); err != nil {
		return nil, err
	}
	if !web.Loopback(p.Pprof) {
		return nil, fmt.Errorf("--pprof %s can be reached from other machines: use 127.0.0.1, [::1] or localhost", p.Pprof)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.Pprof)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	return func() { _ = server.Close(); <-done }, nil
}
