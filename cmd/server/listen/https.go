// Package listen is how the server can be reached besides plain HTTP: over HTTPS,
// whose certificates it reads from files or gets from an authority, and at a local
// address for profiles.
package listen

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// HTTPS let the server speak HTTPS itself, with a certificate from files or
// from a certificate authority that speaks ACME.
type HTTPS struct {
	TLSCert      string   `name:"tls-cert" default:"" env:"COLLIE_TLS_CERT" type:"path" placeholder:"FILE" help:"Serve HTTPS with this certificate chain (PEM). The file is read again when it changes."`
	TLSKey       string   `name:"tls-key" default:"" env:"COLLIE_TLS_KEY" type:"path" placeholder:"FILE" help:"Private key of --tls-cert (PEM)."`
	TLSACME      []string `name:"tls-acme" env:"COLLIE_TLS_ACME" placeholder:"DOMAIN" help:"Serve HTTPS with certificates that are requested and renewed automatically for these domains. This accepts the terms of the certificate authority."`
	TLSDirectory string   `name:"tls-acme-directory" env:"COLLIE_TLS_ACME_DIRECTORY" default:"https://acme-v02.api.letsencrypt.org/directory" placeholder:"URL" help:"Certificate authority for --tls-acme."`
	TLSRoots     string   `name:"tls-acme-ca" default:"" env:"COLLIE_TLS_ACME_CA" type:"path" placeholder:"FILE" help:"Certificates (PEM) to trust when talking to a private --tls-acme-directory."`
	ListenHTTP   string   `name:"listen-http" env:"COLLIE_LISTEN_HTTP" placeholder:"ADDRESS" help:"With HTTPS: also listen here for plain HTTP, send browsers to HTTPS and answer the certificate authority."`
}

// Enabled reports whether the server speaks HTTPS.
func (t *HTTPS) Enabled() bool { return t.TLSCert != "" || len(t.TLSACME) > 0 }

// Validate refuses combinations that can't work.
func (t *HTTPS) Validate() error {
	switch {
	case (t.TLSCert == "") != (t.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key belong together: give both or neither")
	case t.TLSCert != "" && len(t.TLSACME) > 0:
		return errors.New("--tls-cert and --tls-acme contradict each other: use only one")
	case t.ListenHTTP != "" && !t.Enabled():
		return errors.New("--listen-http redirects to HTTPS, so it needs --tls-cert or --tls-acme")
	}
	for _, domain := range t.TLSACME {
		if strings.ContainsAny(domain, "/:*@ ") || !strings.Contains(strings.Trim(domain, "."), ".") || net.ParseIP(domain) != nil {
			return fmt.Errorf("--tls-acme %q is not a domain like collie.example.org", domain)
		}
	}
	return nil
}

// Secured is how a server speaks HTTPS.
type Secured struct {
	Config  *tls.Config
	Prepare func()                                 // once connections are accepted; takes a while
	plain   func(onward http.Handler) http.Handler // of --listen-http
}

// Secure prepares what the flags ask for, nil for plain HTTP. Certificates from
// ACME are kept in the data folder.
func (t *HTTPS) Secure(data string, log *slog.Logger) (*Secured, error) {
	if !t.Enabled() {
		return nil, nil
	}
	if t.TLSCert != "" {
		files := &certificateFiles{cert: t.TLSCert, key: t.TLSKey, log: log}
		if err := files.load(); err != nil {
			return nil, fmt.Errorf("--tls-cert: %w", err)
		}
		return &Secured{&tls.Config{GetCertificate: files.get, MinVersion: tls.VersionTLS12}, func() {}, func(onward http.Handler) http.Handler { return onward }}, nil
	}
	client, err := t.acmeClient()
	if err != nil {
		return nil, err
	}
	manager := &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(filepath.Join(data, "acme")),
		HostPolicy: autocert.HostWhitelist(t.TLSACME...), Client: client,
	}
	config := manager.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	prepare := func() {
		for _, domain := range t.TLSACME {
			// Asks for what browsers of today ask for: an ECDSA certificate.
			hello := &tls.ClientHelloInfo{ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
			if _, err := manager.GetCertificate(hello); err != nil {
				log.Error("no certificate yet; the next visit tries again", "domain", domain, "error", err)
				continue
			}
			log.Info("certificate ready", "domain", domain)
		}
	}
	return &Secured{config, prepare, manager.HTTPHandler}, nil
}

// acmeClient talks to the certificate authority.
func (t *HTTPS) acmeClient() (*acme.Client, error) {
	client := &acme.Client{DirectoryURL: t.TLSDirectory, UserAgent: "collie"}
	if t.TLSRoots == "" {
		return client, nil
	}
	if _, err := examine(t.TLSRoots); err != nil {
		return nil, fmt.Errorf("--tls-acme-ca: %w", err)
	}
	pem, err := os.ReadFile(t.TLSRoots)
	if err != nil {
		return nil, fmt.Errorf("--tls-acme-ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--tls-acme-ca: %s contains no certificate in PEM format", t.TLSRoots)
	}
	client.HTTPClient = &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
	}
	return client, nil
}

// redirect sends what can be asked again to HTTPS, at origin or, without one, where
// the server listens for it; it refuses the rest, whose body has already crossed the
// network unencrypted.
func redirect(origin string, secure net.Addr) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "This server accepts changes over HTTPS only. Nothing was changed.", http.StatusForbidden)
			return
		}
		to := origin
		if to == "" {
			to = "https://" + besides(r, secure)
		}
		http.Redirect(w, r, to+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}

// besides returns the host that a plain request asked for, with the port of secure. If the
// request asked for another port than it reached, something in between maps ports, as
// containers do: then HTTPS is expected at its usual port.
func besides(r *http.Request, secure net.Addr) string {
	host, asked, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, asked = strings.Trim(r.Host, "[]"), "80"
	}
	port := "443"
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && asked == portOf(local) {
		port = portOf(secure)
	}
	if port != "443" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]" // IPv6
	}
	return host
}

func portOf(a net.Addr) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// certificateFiles is a certificate that is read again when one of its files
// has changed. A change that can't be read is logged and the certificate in use
// stays.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	read    [2]time.Time // when the files had changed last, as of current
	checked time.Time
	wrong   string // with the files, as logged; empty when current is from them
}

// certificateCheck is how long a change of the files may go unnoticed.
const certificateCheck = time.Second

func (c *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) >= certificateCheck {
		switch err := c.load(); {
		case err == nil:
			c.wrong = ""
		case err.Error() != c.wrong: // each trouble is logged once
			c.wrong = err.Error()
			c.log.Error("the new certificate can't be used; the previous one stays in use", "error", err)
		}
	}
	return c.current, nil
}

// load reads the files if they have changed. The caller holds the lock, or is
// the only one that knows c.
func (c *certificateFiles) load() error {
	c.checked = time.Now()
	var changed [2]time.Time
	for i, path := range []string{c.cert, c.key} {
		var err error
		if changed[i], err = examine(path); err != nil {
			return err
		}
	}
	if c.current != nil && changed == c.read {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("%s with the key %s: %w", c.cert, c.key, err)
	}
	c.current, c.read = &pair, changed
	return nil
}

// maxPEM is the largest file of certificates in bytes; a system's list of all
// authorities has 200 KB.
const maxPEM = 4 << 20

// examine says when a file of certificates or a key has changed. What could be read
// without end is refused: a pipe, a device, a file that is too large.
func examine(path string) (changed time.Time, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return time.Time{}, err
	case !info.Mode().IsRegular():
		return time.Time{}, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxPEM:
		return time.Time{}, fmt.Errorf("%s has %d bytes; at most %d are read", path, info.Size(), maxPEM)
	}
	return info.ModTime(), nil
}

// ServePlain answers on --listen-http until the returned function is called. It sends
// requests on to origin, or without one to the same host at the port of secure.
func (t *HTTPS) ServePlain(s *Secured, origin string, secure net.Addr, log *slog.Logger) (stop func(), err error) {
	if s == nil || t.ListenHTTP == "" {
		return func() {}, nil
	}
	listener, err := Open("--listen-http", t.ListenHTTP)
	if err != nil {
		return nil, err
	}
	listener = spare(listener, plainConnections)
	server := &http.Server{Handler: s.plain(redirect(origin, secure)), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("plain HTTP is no longer answered", "address", listener.Addr().String(), "error", err)
		}
	}()
	log.Info("plain HTTP is redirected to HTTPS", "address", listener.Addr().String())
	return func() {
		limit, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(limit) != nil {
			server.Close()
		}
		<-ended
	}, nil
}
