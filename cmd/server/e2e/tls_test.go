package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/sharedtest"
)

// certify writes a certificate for collie.test and its key, and returns its
// serial number. Writing is atomic, as certbot's is.
func certify(t *testing.T, cert, key string) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "collie.test"}, DNSNames: []string{"collie.test", "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	replaceFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	replaceFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return serial.String()
}

func replaceFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// dialing returns a client that connects to address whatever host a URL names, and
// does not follow redirects.
func dialing(t *testing.T, address string, config *tls.Config) *http.Client {
	transport := &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func request(t *testing.T, c *http.Client, method, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// HTTPS with files: HTTP/2, HSTS, a redirect from plain HTTP, and certificates
// that are replaced while the server runs.
func TestTLSFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key, plain := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), sharedtest.MustAddress(t)
	first := certify(t, cert, key)
	p := start(t, filepath.Join(dir, "data"), "--tls-cert", cert, "--tls-key", key, "--listen-http", plain, "--insecure", "--origin", "https://collie.test")
	address, ok := strings.CutPrefix(p.url, "https://")
	if !ok {
		t.Fatalf("the server is at %s, want https", p.url)
	}
	// The certificate is checked against the file by hand: it signs itself.
	client := dialing(t, address, &tls.Config{InsecureSkipVerify: true, ServerName: "collie.test"})
	serial := func() string {
		resp := request(t, client, "GET", "https://collie.test/healthz")
		if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
			t.Fatalf("%s over %s", resp.Status, resp.Proto)
		}
		if got := resp.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("Strict-Transport-Security %q", got)
		}
		return resp.TLS.PeerCertificates[0].SerialNumber.String()
	}
	if got := serial(); got != first {
		t.Errorf("certificate %s, want that of the file, %s", got, first)
	}

	second := certify(t, cert, key)
	await(t, "the new certificate", func() bool { return serial() == second })
	replaceFile(t, cert, []byte("no certificate"))
	await(t, "a line about the broken file", func() bool {
		if got := serial(); got != second {
			t.Fatalf("certificate %s after a broken one was put in its place, want %s", got, second)
		}
		return strings.Contains(p.stderr.String(), "the new certificate can't be used")
	})

	browser := dialing(t, plain, nil)
	resp := request(t, browser, "GET", "http://collie.test/projects/1?a=b")
	if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusMovedPermanently || to != "https://collie.test/projects/1?a=b" {
		t.Errorf("plain GET: %s to %q", resp.Status, to)
	}
	if resp := request(t, browser, "POST", "http://collie.test/api/v1/sample"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("plain POST: %s", resp.Status)
	}
	p.stop()
}

// A certificate that can't be read keeps the server from starting.
func TestTLSFilesMissing(t *testing.T) {
	dir := t.TempDir()
	_, err := launch(t, filepath.Join(dir, "data"), nil, "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"))
	if err == nil || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("started without its certificate: %v", err)
	}
}

// await polls until done; go test's own time limit bounds it.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	t.Logf("waiting for %s", what)
	for !done() {
		time.Sleep(50 * time.Millisecond)
	}
}
