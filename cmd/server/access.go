package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"

	"collie/cmd/server/listen"
	"collie/segment/accounts"
	"collie/web"
	"collie/web/people"
)

// accessFlags say who can reach the server, and how.
type accessFlags struct {
	Auth     bool     `env:"COLLIE_AUTH" help:"Ask people to sign in. Add users with the command users."`
	Insecure bool     `env:"COLLIE_INSECURE" help:"Listen on an address that other machines can reach and let everybody do everything."`
	Origin   string   `env:"COLLIE_ORIGIN" placeholder:"https://HOST" help:"Address that people type when a proxy is in front of the server. With https, the cookie is sent over https only."`
	Proxies  []string `name:"proxy" env:"COLLIE_PROXY" default:"127.0.0.0/8,::1/128" placeholder:"PREFIX" help:"With --origin: networks of the proxies whose X-Forwarded-For is trusted."`
}

// defaultPorts are those that addresses leave out.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// config is what the flags come to for a server that listens on an address.
func (a *accessFlags) config(at string) (web.Config, error) {
	if _, _, err := listen.Split("--listen", at); err != nil {
		return web.Config{}, err
	}
	loopback := web.Loopback(at)
	switch {
	case a.Auth && a.Insecure:
		return web.Config{}, fmt.Errorf("--auth and --insecure contradict each other: use only one")
	case !loopback && !a.Auth && !a.Insecure:
		return web.Config{}, fmt.Errorf("--listen %s can be reached from other machines, where nobody would have to sign in: add --auth (see the command users), or --insecure to let everybody do everything", at)
	}
	c := web.Config{AnyName: a.Insecure && !loopback}
	var proxies []netip.Prefix
	for _, text := range a.Proxies {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return web.Config{}, fmt.Errorf("--proxy %q is not a network like 10.0.0.0/8", text)
		}
		proxies = append(proxies, p)
	}
	if a.Origin == "" {
		return c, nil
	}
	u, err := parseOrigin(a.Origin)
	if err != nil {
		return web.Config{}, err
	}
	if !a.Auth && !web.Loopback(u.Host) && !a.Insecure {
		return web.Config{}, fmt.Errorf("--origin %s can be reached from other machines, where nobody would have to sign in: add --auth, or --insecure to let everybody do everything", a.Origin)
	}
	c.Origin = u.String()
	c.AnyName = a.Insecure
	c.Proxies = proxies
	return c, nil
}

// parseOrigin reads --origin and writes it as browsers do, with whose origins it is
// compared.
func parseOrigin(text string) (*url.URL, error) {
	u, err := url.Parse(strings.ToLower(strings.TrimSuffix(text, "/")))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return nil, fmt.Errorf("--origin %q is not of the form https://HOST or https://HOST:PORT", text)
	}
	if port := u.Port(); port == "" || port == defaultPorts[u.Scheme] {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return u, nil
}

// noUsers is the error for a server whose database has no users.
func (s *serveCommand) noUsers() error {
	where := s.Data
	if s.Database != "" {
		where += " --database … --blobs …" // without them the user would go to a database of the folder's own
	}
	return fmt.Errorf("--auth needs users, and none exist yet. Add the first one with: server users add NAME --role admin --data %s", where)
}

// login is what the server needs to ask people who they are, nil when it
// doesn't.
func (s *serveCommand) login(ctx context.Context, d *data, log *slog.Logger) (*people.Login, error) {
	if !s.Auth {
		if s.Insecure {
			log.Warn("anybody who can reach this server can do everything (--insecure)")
		}
		return nil, nil
	}
	users := accounts.New(d.store, s.accounts())
	some, err := users.Any(ctx)
	if err != nil {
		return nil, err
	}
	if !some {
		return nil, s.noUsers()
	}
	if !web.Loopback(s.Listen) && !s.HTTPS.Enabled() && !strings.HasPrefix(s.Origin, "https://") {
		log.Warn("passwords and images travel unencrypted: use --tls-cert or --tls-acme, or a proxy with TLS and --origin https://…")
	}
	return &people.Login{Accounts: users, Sessions: d.store}, nil
}
