package main

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/cmd/internal/output"
	"collie/cmd/server/machine"
	"collie/segment/access"
	"collie/segment/audit"
)

func TestAdvice(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	at := func(d time.Duration) []audit.Entry { return []audit.Entry{{At: now.Add(-time.Hour)}, {At: now.Add(d)}} }
	signIns := func(n int, address, start string) []audit.Entry {
		var all []audit.Entry
		for range n {
			all = append(all, audit.Entry{Action: audit.SignedIn, Address: address}, audit.Entry{Action: audit.ProjectCreated})
		}
		return append(all, audit.Entry{Action: audit.ServerStarted, Detail: start}, audit.Entry{Action: audit.SignedIn, Address: "192.0.2.1"})
	}
	const behind = `listen 127.0.0.1:8080, auth true, origin "https://collie.example.org"`
	for name, c := range map[string]struct{ advice, want string }{
		"a private folder":    {rightsAdvice("/srv/collie", os.ModeDir|0o700), ""},
		"an open folder":      {rightsAdvice("/srv/collie/", os.ModeDir|0o755), "(mode 0755)"},
		"a group's folder":    {rightsAdvice("/srv/collie", os.ModeDir|0o710), "chmod 0700 /srv/collie"},
		"a fast disk":         {diskAdvice(3 * time.Millisecond), ""},
		"a slow disk":         {diskAdvice(120 * time.Millisecond), "waits about 120ms"},
		"enough space":        {spaceAdvice(300<<20, 256<<20), ""},
		"an unknown disk":     {spaceAdvice(0, 0), ""},
		"a nearly full disk":  {spaceAdvice(100<<20, 256<<20), "100.0 MiB left, and the last 256.0 MiB are kept for edits"},
		"enough memory":       {memoryAdvice(2 << 30), ""},
		"unknown memory":      {memoryAdvice(0), ""},
		"little memory":       {memoryAdvice(512 << 20), "512.0 MiB of memory"},
		"enough files":        {filesAdvice(65536), ""},
		"unknown files":       {filesAdvice(0), ""},
		"few files":           {filesAdvice(1024), "only 1024 files"},
		"a good clock":        {clockAdvice(now, now.Add(time.Second), at(-time.Minute)), ""},
		"no log":              {clockAdvice(now, now, nil), ""},
		"a clock behind":      {clockAdvice(now, now, at(time.Hour)), "entry from 2026-05-06 08:08:09"},
		"a file system ahead": {clockAdvice(now, now.Add(time.Minute), nil), "1m0s apart"},
		"one behind":          {clockAdvice(now, now.Add(-time.Minute), nil), "1m0s apart"},
		"a silent proxy":      {proxyAdvice(signIns(5, "127.0.0.1", behind)), "the last 5 sign-ins"},
		"a silent IPv6 proxy": {proxyAdvice(signIns(6, "::1", behind)), "X-Forwarded-For"},
		"a telling proxy":     {proxyAdvice(signIns(5, "198.51.100.7", behind)), ""},
		"too few":             {proxyAdvice(signIns(4, "127.0.0.1", behind)), ""},
		"no proxy":            {proxyAdvice(signIns(9, "127.0.0.1", `listen 127.0.0.1:8080, auth true, origin ""`)), ""},
		"nobody":              {proxyAdvice(nil), ""},
	} {
		if c.want == "" && c.advice != "" || !strings.Contains(c.advice, c.want) {
			t.Errorf("%s: %q, want %q", name, c.advice, c.want)
		}
	}
}

// What the doctor measures comes from this machine, and it leaves nothing behind.
func TestMeasureDisk(t *testing.T) {
	folder := t.TempDir()
	median, stamp, err := measureDisk(folder)
	if err != nil || median <= 0 || time.Since(stamp).Abs() > time.Minute {
		t.Errorf("%v, %v, %v", median, stamp, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, _, err := measureDisk(filepath.Join(folder, "nothing")); err == nil {
		t.Error("a folder that doesn't exist was measured")
	}
	if n := machine.OpenFiles(); n < 64 {
		t.Errorf("%d files can be open", n)
	}
}

// The doctor gives advice about a real folder; advice is not counted as a problem.
func TestDoctorGivesAdvice(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	d, err := openData(t.Context(), dataFlag{Data: folder}, 0, anyPhoto)
	if err != nil {
		t.Fatal(err)
	}
	ctx := access.At(t.Context(), netip.MustParseAddr("127.0.0.1"))
	record := func(action audit.Action, detail string) {
		if err := d.store.Record(ctx, audit.New(ctx, action, "", detail)); err != nil {
			t.Fatal(err)
		}
	}
	record(audit.ServerStarted, fmt.Sprintf("listen %s, auth %t, origin %q", "127.0.0.1:8080", true, "https://collie.example.org"))
	for range fewestSignIns {
		record(audit.SignedIn, "")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	doctor := func() string {
		t.Helper()
		var out strings.Builder
		if err := (&doctorCommand{dataFlag: dataFlag{Data: folder}}).Run(t.Context(), streams{&output.Printed{To: &out}, io.Discard}); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		return out.String()
	}
	if out := doctor(); strings.Contains(out, "other users") || !strings.Contains(out, "advice: the last 5 sign-ins") || !strings.Contains(out, "disk: an fsync takes ") {
		t.Errorf("a private folder behind a silent proxy:\n%s", out)
	}
	if os.Getuid() != 0 { // root can write anywhere
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		if out := doctor(); !strings.Contains(out, "advice: nothing can be saved in "+folder) {
			t.Errorf("a read-only folder:\n%s", out)
		}
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if out := doctor(); !strings.Contains(out, "advice: other users of this machine can get into "+folder+" (mode 0755)") {
		t.Errorf("an open folder:\n%s", out)
	}
}
