package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"

	"collie/segment/accounts"
	"collie/web"
)

// accessFlags say who can reach the server, and how.
type accessFlags struct {
	Auth     bool     `env:"COLLIE_AUTH" help:"Ask people to sign in. Users are made with the command users."`
	Insecure bool     `env:"COLLIE_INSECURE" help:"Listen on an address that other machines can reach and let everybody do everything."`
	Origin   string   `env:"COLLIE_ORIGIN" placeholder:"https://HOST" help:"Address under which browsers reach the server, when a proxy stands before it. With https the cookie is sent over https only."`
	Proxies  []string `name:"proxy" env:"COLLIE_PROXY" default:"127.0.0.0/8,::1/128" placeholder:"PREFIX,…" help:"With --origin: networks of the proxies whose X-Forwarded-For is believed."`
}

// config is what the flags come to for a server that listens on an address.
func (a *accessFlags) config(listen string) (web.Config, error) {
	loopback := web.Loopback(listen)
	switch {
	case a.Auth && a.Insecure:
		return web.Config{}, fmt.Errorf("--auth and --insecure contradict each other: leave one of them out")
	case !loopback && !a.Auth && !a.Insecure:
		return web.Config{}, fmt.Errorf("--listen %s could be reached from other machines, and nobody would be asked to sign in: add --auth (see the command users), or --insecure if everybody who reaches it may do everything", listen)
	}
	c := web.Config{AnyName: a.Insecure && !loopback}
	if a.Origin == "" {
		return c, nil
	}
	u, err := url.Parse(strings.TrimSuffix(a.Origin, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return web.Config{}, fmt.Errorf("--origin %q is not of the form https://HOST or https://HOST:PORT", a.Origin)
	}
	if !a.Auth && !web.Loopback(u.Host) && !a.Insecure {
		return web.Config{}, fmt.Errorf("--origin %s could be reached from other machines, and nobody would be asked to sign in: add --auth, or --insecure if everybody who reaches it may do everything", a.Origin)
	}
	c.Origin = strings.ToLower(u.String())
	c.AnyName = a.Insecure
	for _, text := range a.Proxies {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return web.Config{}, fmt.Errorf("--proxy %q is not a network like 10.0.0.0/8", text)
		}
		c.Proxies = append(c.Proxies, p)
	}
	return c, nil
}

// login is what the server needs to ask people who they are, nil when it
// doesn't.
func (s *serveCommand) login(ctx context.Context, d *data, log *slog.Logger) (*web.Login, error) {
	if !s.Auth {
		if s.Insecure {
			log.Warn("everybody who reaches this server may do everything (--insecure)")
		}
		return nil, nil
	}
	users := accounts.New(d.store, s.accounts())
	some, err := users.Any(ctx)
	if err != nil {
		return nil, err
	}
	if !some {
		return nil, fmt.Errorf("--auth asks people to sign in, and there are no users yet. Make the first with: server users add NAME --role admin --data %s", s.Data)
	}
	if !web.Loopback(s.Listen) && !s.tlsFlags.enabled() && !strings.HasPrefix(s.Origin, "https://") {
		log.Warn("passwords and pictures travel unencrypted: use --tls-cert or --tls-acme, or a proxy with TLS that --origin https://… names")
	}
	return &web.Login{Accounts: users, Sessions: d.store}, nil
}
