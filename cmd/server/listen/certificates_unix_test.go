//go:build unix

package listen

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Files that hold no certificate, or no end, are refused by name.
func TestCertificateFiles(t *testing.T) {
	dir := t.TempDir()
	name := func(name string) string { return filepath.Join(dir, name) }
	pipe, folder, huge, junk := name("pipe"), name("folder"), name("huge"), name("junk")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{huge: "", junk: "junk"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(huge, maxPEM+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, wrong string }{
		{pipe, "not a regular file"}, {folder, "not a regular file"}, {"/dev/zero", "not a regular file"}, {huge, "4194305 bytes"}, {junk, "PEM"}, {name("missing"), "no such file"},
	} {
		for _, flags := range []HTTPS{
			{TLSCert: c.path, TLSKey: junk}, {TLSCert: junk, TLSKey: c.path}, {TLSACME: []string{"collie.example.org"}, TLSRoots: c.path},
		} {
			if _, err := flags.Secure(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: %v, want an error with %q", flags, err, c.wrong)
			}
		}
	}
}
