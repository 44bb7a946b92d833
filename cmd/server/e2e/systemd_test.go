package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asUnit runs what follows as the systemd unit does, as far as that is possible
// without systemd: as an unprivileged user, with a root file system that is
// read-only except for the state folder, the first argument.
var asUnit = []string{"unshare", "--mount", "--propagation", "private", "bash", "-ec", `
mount --bind "$0" "$0"
mount -o remount,bind,ro /
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all,+net_bind_service "$@"`}

// The program needs no more than the unit in deploy/ allows. The control is a
// folder that the unit doesn't allow.
func TestUnitRestrictions(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts other programs")
	}
	if out, err := exec.Command("unshare", "--mount", "setpriv", "--version").CombinedOutput(); err != nil {
		t.Skipf("skipped: needs root, unshare and setpriv: %v %s", err, out)
	}
	state, other := t.TempDir(), t.TempDir()
	for _, folder := range []string{state, other} {
		if err := os.Chown(folder, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{filepath.Dir(binary), filepath.Dir(state)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(state, "data")
	p, err := launch(t, data, append(asUnit, state))
	if err != nil {
		t.Fatal(err)
	}
	p.sample()
	p.stop()
	if _, err := launch(t, filepath.Join(other, "data"), append(asUnit, state)); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("the control: %v", err)
	}
}

// systemd finds nothing to complain about in the unit, and a typo if there is one.
func TestUnitIsValid(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts other programs")
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("skipped: needs systemd-analyze")
	}
	b, err := os.ReadFile("../../../deploy/collie.service")
	if err != nil {
		t.Fatal(err)
	}
	verify := func(unit string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "collie.service")
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(unit, "/usr/bin/collie-server", binary)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "verify", name).CombinedOutput()
		if err != nil {
			return err.Error() + "\n" + string(out)
		}
		return string(out)
	}
	// 0 is unexposed, 100 fully exposed; a unit without hardening has 96.
	if out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=18", "../../../deploy/collie.service").CombinedOutput(); err != nil {
		t.Errorf("systemd finds the service exposed: %v\n%s", err, out)
	}
	if said := verify(string(b)); strings.Contains(said, "collie.service") {
		t.Errorf("systemd says: %s", said)
	}
	if said := verify(strings.Replace(string(b), "ProtectSystem=", "ProtectSytem=", 1)); !strings.Contains(said, "ProtectSytem") {
		t.Errorf("systemd overlooks a typo: %s", said)
	}
}
