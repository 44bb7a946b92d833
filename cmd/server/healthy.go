package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"collie/cmd/server/listen"
)

// healthyCommand asks a running server on this machine whether it can work, for
// containers that hold no other program.
type healthyCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"COLLIE_LISTEN" help:"Address that the server listens on."`
	listen.HTTPS
}

// Run returns an error when the server does not answer or is not ready.
func (c *healthyCommand) Run(ctx context.Context, out streams) error {
	host, port, err := listen.Split("--listen", c.Listen)
	if err != nil {
		return err
	}
	if listen.Everywhere(host) {
		host = "localhost"
	}
	scheme := "http"
	if c.HTTPS.Enabled() {
		scheme = "https"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	config := &tls.Config{InsecureSkipVerify: true} // it is this machine; its certificate is for another name
	if len(c.TLSACME) > 0 {
		config.ServerName = c.TLSACME[0]
	}
	resp, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: config}}).Do(r)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", c.Listen, err)
	}
	defer resp.Body.Close()
	if scheme == "http" && resp.StatusCode == http.StatusBadRequest {
		return fmt.Errorf("the server at %s speaks HTTPS; give its --tls-acme, or --tls-cert and --tls-key", c.Listen)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", resp.Status)
	}
	fmt.Fprintln(out.stdout, "ready")
	return nil
}
