package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The second server of a folder is refused before it touches anything, and names
// the first.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, data)
	mark := filepath.Join(data, "scratch", "in-use")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a second server that is not refused would go on
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "--listen", "127.0.0.1:0", "--data", data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "process "+strconv.Itoa(p.cmd.Process.Pid)) {
		t.Errorf("%v: %s", err, out)
	}
	out, err = exec.CommandContext(ctx, binary, "--listen", strings.TrimPrefix(p.url, "http://"), "--data", t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "choose another address with --listen") {
		t.Errorf("on the same address: %v: %s", err, out)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("what the first server has in use is gone: %v", err)
	}
	p.stop()
	start(t, data).stop() // the lock ends with its server
}

// Nobody else can read what Collie writes, even in a folder that others can enter.
func TestModes(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "collie.db"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, data)
	p.sample()
	seen := 0
	err := filepath.WalkDir(data, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == data {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		seen++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Errorf("%d files, %v", seen, err)
	}
	p.stop()
}

// What root's commands, or a server that root has started, add to the data of a server
// that runs as another user belongs to that user, who couldn't read it otherwise.
func TestCommandsOfRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("skipped: needs root")
	}
	if testing.Short() {
		t.Skip("skipped with -short: starts other programs")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("skipped: setpriv is not installed")
	}
	t.Parallel()
	const user = 65534
	as := []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
	dir := t.TempDir()
	data, restored := filepath.Join(dir, "data"), filepath.Join(dir, "restored")
	for _, folder := range []string{data, restored} {
		if err := errors.Join(os.Mkdir(folder, 0o700), os.Chown(folder, user, user)); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{filepath.Dir(binary), filepath.Dir(dir), dir} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	belongs := func(folder, after string) {
		t.Helper()
		if out, err := exec.Command("find", folder, "!", "-uid", strconv.Itoa(user)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("after %s this doesn't belong to the server's user: %v\n%s", after, err, out)
		}
	}
	private := filepath.Join(dir, "private") // root's
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"users", "list"}, {"doctor"}, {"serve", "--listen", "127.0.0.1:0"}} {
		if out, err := exec.Command(as[0], slices.Concat(as[1:], []string{binary}, arguments, []string{"--data", private})...).CombinedOutput(); err == nil || !strings.Contains(string(out), "run this as the user to whom it belongs, or as root") {
			t.Errorf("%q with another user's folder: %v\n%s", arguments, err, out)
		}
	}
	byRoot := start(t, data)
	byRoot.sample()
	belongs(data, "a server of root")
	byRoot.stop()
	belongs(data, "its end")

	p, err := launch(t, data, as)
	if err != nil {
		t.Fatal(err)
	}
	project, copied := filepath.Join(dir, "project.zip"), filepath.Join(dir, "copy.tar")
	command(t, "export", "--project", "Sample", "--format", "backup", "--out", project, "--data", data)
	command(t, "import", project, "--data", data)
	command(t, "backup", copied, "--data", data)
	belongs(data, "the commands")
	if out, err := exec.Command("find", copied, "!", "-uid", "0").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the backup doesn't belong to root, who has asked for it: %v\n%s", err, out)
	}
	p.stop()
	originals, err := filepath.Glob(filepath.Join(data, "blobs", "original", "*"))
	if err != nil || len(originals) == 0 {
		t.Fatal(originals, err)
	}
	if err := os.Chown(originals[0], 0, 0); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(as[0], append(as[1:], binary, "doctor", "--data", data)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "chown -R") || strings.Contains(string(out), "only a backup") {
		t.Errorf("files that the doctor can't read: %v\n%s", err, out)
	}
	if out := command(t, "doctor", "--data", data); !strings.Contains(out, "1 file in "+data+", such as blobs/original/") {
		t.Errorf("root's doctor, who can read everything:\n%s", out)
	}
	command(t, "restore", copied, "--data", restored)
	belongs(restored, "a restore")
	if p, err := launch(t, restored, as); err != nil {
		t.Error(err)
	} else {
		p.stop()
	}
}

// A database that was closed can be examined and backed up where nothing can be
// written.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip("root can write everywhere, and setpriv is not installed")
		}
	}
	data, out := t.TempDir(), t.TempDir()
	p := start(t, data)
	p.sample()
	p.stop()
	run := func(arguments ...string) (string, error) {
		command := append([]string{binary}, arguments...)
		if os.Getuid() == 0 {
			command = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, command...)
		}
		b, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		return string(b), err
	}
	open := func(dir string, mode os.FileMode) {
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.Chmod(name, mode|0o111)
			}
			return os.Chmod(name, mode)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{filepath.Dir(data), filepath.Dir(out)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open(data, 0o444)
	defer open(data, 0o644)
	open(out, 0o666)
	if text, err := run("doctor", "--data", data); err != nil || !strings.Contains(text, "0 damaged") {
		t.Errorf("doctor: %v %s", err, text)
	}
	if text, err := run("backup", "--data", data, filepath.Join(out, "b.tar")); err != nil {
		t.Errorf("backup: %v %s", err, text)
	}
}
