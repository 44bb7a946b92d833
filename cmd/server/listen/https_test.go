package listen

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Plain requests are sent to the origin, or to the same host and the port of HTTPS unless
// ports are mapped; changes are refused.
func TestRedirect(t *testing.T) {
	for _, c := range []struct {
		origin, host  string
		plain, secure int
		want          string
	}{
		{"", "collie.example.org", 80, 443, "https://collie.example.org/a?b=c"},
		{"", "collie.example.org", 80, 8443, "https://collie.example.org:8443/a?b=c"},
		{"", "collie.example.org:8080", 8080, 443, "https://collie.example.org/a?b=c"},
		{"", "collie.example.org:8080", 8080, 8443, "https://collie.example.org:8443/a?b=c"},
		{"", "collie.example.org", 8080, 8443, "https://collie.example.org/a?b=c"},
		{"", "collie.example.org:8000", 8080, 8443, "https://collie.example.org/a?b=c"},
		{"", "192.0.2.1:80", 80, 443, "https://192.0.2.1/a?b=c"},
		{"", "[2001:db8::1]:80", 80, 443, "https://[2001:db8::1]/a?b=c"},
		{"", "[2001:db8::1]", 80, 443, "https://[2001:db8::1]/a?b=c"},
		{"", "[2001:db8::1]", 80, 8443, "https://[2001:db8::1]:8443/a?b=c"},
		{"https://collie.example.org:8443", "192.0.2.1:80", 80, 443, "https://collie.example.org:8443/a?b=c"},
	} {
		w := httptest.NewRecorder()
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{Port: c.plain})
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/a?b=c", nil)
		r.Host = c.host
		redirect(c.origin, &net.TCPAddr{Port: c.secure}).ServeHTTP(w, r)
		if to := w.Header().Get("Location"); w.Code != http.StatusMovedPermanently || to != c.want {
			t.Errorf("%+v: %d to %q", c, w.Code, to)
		}
	}
	w := httptest.NewRecorder()
	if redirect("", &net.TCPAddr{Port: 443}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/a", nil)); w.Code != http.StatusForbidden {
		t.Errorf("a change: %d", w.Code)
	}
}

// A certificate that can't be read is logged once, however often it is tried, and is
// taken as soon as it can, also when the time of its file doesn't tell.
func TestCertificateThatIsReplaced(t *testing.T) {
	dir := t.TempDir()
	files := &certificateFiles{cert: filepath.Join(dir, "cert"), key: filepath.Join(dir, "key")}
	var log bytes.Buffer
	files.log = slog.New(slog.NewTextHandler(&log, nil))
	written := time.Now()
	put := func(serial int64, cut int) {
		cert, key := certificate(t, serial)
		for path, content := range map[string][]byte{files.cert: cert[:len(cert)-cut], files.key: key} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, written, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	try := func(serial int64, lines int) {
		t.Helper()
		for range 3 {
			files.checked = time.Time{}
			got, err := files.get(nil)
			if err != nil || got.Leaf.SerialNumber.Int64() != serial {
				t.Fatalf("certificate %v, %v, want %d", got.Leaf.SerialNumber, err, serial)
			}
		}
		if n := strings.Count(log.String(), "\n"); n != lines {
			t.Errorf("%d lines, want %d: %s", n, lines, log.String())
		}
	}
	put(1, 0)
	if err := files.load(); err != nil {
		t.Fatal(err)
	}
	try(1, 0)
	if err := os.Remove(files.cert); err != nil {
		t.Fatal(err)
	}
	try(1, 1)
	written = written.Add(time.Minute)
	put(2, 40)
	try(1, 2)
	put(2, 0)
	try(2, 2)
	if err := os.Remove(files.key); err != nil {
		t.Fatal(err)
	}
	try(2, 3)
}

// certificate makes a pair in PEM.
func certificate(t *testing.T, serial int64) (cert, key []byte) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

func TestTLSFlags(t *testing.T) {
	for _, c := range []struct {
		flags HTTPS
		wrong string // part of the error, empty for none
	}{
		{HTTPS{}, ""},
		{HTTPS{TLSCert: "c", TLSKey: "k"}, ""},
		{HTTPS{TLSACME: []string{"collie.example.org", "b.example.org"}, ListenHTTP: ":80"}, ""},
		{HTTPS{TLSCert: "c"}, "belong together"},
		{HTTPS{TLSKey: "k"}, "belong together"},
		{HTTPS{TLSCert: "c", TLSKey: "k", TLSACME: []string{"a.b"}}, "contradict"},
		{HTTPS{ListenHTTP: ":80"}, "needs --tls-cert"},
		{HTTPS{TLSACME: []string{"https://collie.example.org"}}, "not a domain"},
		{HTTPS{TLSACME: []string{"10.0.0.1"}}, "not a domain"},
		{HTTPS{TLSACME: []string{"*.example.org"}}, "not a domain"},
		{HTTPS{TLSACME: []string{"localhost"}}, "not a domain"},
	} {
		err := c.flags.Validate()
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: %v, want %q", c.flags, err, c.wrong)
		}
	}
}
