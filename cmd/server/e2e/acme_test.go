package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"collie/sharedtest"
)

// A certificate authority of its own (Pebble, Let's Encrypt's test server)
// checks the server over TLS-ALPN-01 and issues it a certificate, which the
// server still has after a restart without the authority.
func TestTLSACME(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: builds and runs a certificate authority")
	}
	const domain = "collie.test"
	dir := t.TempDir()
	data, address := filepath.Join(dir, "data"), sharedtest.MustAddress(t)
	ca := startPebble(t, dir, address)

	flags := []string{"--listen", address, "--tls-acme", domain, "--tls-acme-directory", ca.directory, "--tls-acme-ca", ca.cert, "--insecure", "--origin", "https://" + domain}
	p := start(t, data, flags...)
	await(t, "the certificate", func() bool {
		if log := p.stderr.String(); strings.Contains(log, "no certificate yet") {
			t.Fatalf("no certificate:\n%s", log)
		}
		return strings.Contains(p.stderr.String(), "certificate ready")
	})
	client := dialing(t, address, &tls.Config{RootCAs: ca.issuer(t), ServerName: domain})
	resp := request(t, client, "GET", "https://"+domain+"/healthz")
	if resp.StatusCode != http.StatusOK {
		t.Errorf("over the issued certificate: %s", resp.Status)
	}
	serial := resp.TLS.PeerCertificates[0].SerialNumber

	// A name that nobody asked for gets nothing, and the authority isn't bothered.
	if conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, ServerName: "other.test"}); err == nil {
		conn.Close()
		t.Error("the server has a certificate for other.test")
	}
	p.stop()

	ca.stop()
	p = start(t, data, flags...)
	resp = request(t, client, "GET", "https://"+domain+"/healthz")
	if got := resp.TLS.PeerCertificates[0].SerialNumber; got.Cmp(serial) != 0 {
		t.Errorf("certificate %v after the restart, want the stored one, %v", got, serial)
	}
	p.stop()
	if info, err := os.Stat(filepath.Join(data, "acme")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder of the private keys: %v, %v, want mode 0700", info, err)
	}
}

// pebble is a certificate authority in a process of its own.
type pebble struct {
	directory string // URL
	cert      string // file with the certificate of its own HTTPS
	manage    string // URL
	stop      func()
}

// startPebble starts an authority that finds every domain at the given address.
func startPebble(t *testing.T, dir, address string) *pebble {
	t.Helper()
	program := filepath.Join(dir, "pebble")
	if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble").CombinedOutput(); err != nil {
		t.Fatalf("go build pebble: %v\n%s", err, out)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	tlsPort, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	listen, manage := sharedtest.MustAddress(t), sharedtest.MustAddress(t)
	ca := &pebble{directory: "https://" + inLocalhost(listen) + "/dir", manage: "https://" + inLocalhost(manage), cert: filepath.Join(dir, "ca.pem")}
	key := filepath.Join(dir, "ca-key.pem")
	certify(t, ca.cert, key)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": manage, "certificate": ca.cert, "privateKey": key,
		"httpPort": 1, "tlsPort": tlsPort, "keyAlgorithm": "ecdsa", "retryAfter": map[string]int{"authz": 1, "order": 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	replaceFile(t, file, config)

	process := exec.Command(program, "-config", file, "-strict", "-dnsserver", nameserver(t))
	process.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=20")
	said := new(output)
	process.Stdout, process.Stderr = said, said
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the certificate authority said:\n%s", said)
		}
	})
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	ca.stop = func() {
		if !stopped {
			stopped = true
			_ = process.Process.Kill()
			_ = process.Wait()
		}
	}
	t.Cleanup(ca.stop)
	await(t, "the certificate authority", func() bool {
		conn, err := net.Dial("tcp", manage)
		if err == nil {
			conn.Close()
			conn, err = net.Dial("tcp", listen)
		}
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return ca
}

// inLocalhost names an address of this machine as a certificate can.
func inLocalhost(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

// issuer returns the authority's root, which it makes when it starts.
func (p *pebble) issuer(t *testing.T) *x509.CertPool {
	t.Helper()
	trusted, roots := x509.NewCertPool(), x509.NewCertPool()
	own, err := os.ReadFile(p.cert)
	if err != nil || !trusted.AppendCertsFromPEM(own) {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Get(p.manage + "/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	pem, err := io.ReadAll(resp.Body)
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("no root: %v %s", err, pem)
	}
	return roots
}

// nameserver starts a DNS server for which every name is this machine.
func nameserver(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // Pebble asks over TCP
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, r *dns.Msg) {
		reply := new(dns.Msg).SetReply(r)
		for _, q := range r.Question {
			if q.Qtype == dns.TypeA {
				reply.Answer = append(reply.Answer, &dns.A{
					Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(127, 0, 0, 1),
				})
			}
		}
		_ = w.WriteMsg(reply)
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.ActivateAndServe()
	}()
	t.Cleanup(func() {
		_ = server.Shutdown()
		<-ended
	})
	return listener.Addr().String()
}
