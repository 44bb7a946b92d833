package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Disk is a disk whose power can be cut: an ext4 file system in a file.
type Disk struct {
	Dir   string // where it is mounted
	t     *testing.T
	image string
}

// NewDisk makes and mounts such a disk. It skips the test where that is not
// possible, as without the rights of root or a loop device.
func NewDisk(t *testing.T) *Disk {
	t.Helper()
	injectsFaults(t)
	p := &Disk{Dir: t.TempDir(), t: t, image: filepath.Join(t.TempDir(), "disk")}
	must(t, os.WriteFile(p.image, nil, 0o600))
	must(t, os.Truncate(p.image, 128<<20))
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", p.image).CombinedOutput(); err != nil {
		t.Skipf("a power cut needs mkfs.ext4: %v, %s", err, bytes.TrimSpace(out))
	}
	if out, err := p.mount(); err != nil {
		t.Skipf("a power cut needs a loop device and the rights of root: %v, %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if err := unmount(p.Dir); err != nil {
			t.Error(err)
		}
	})
	if err := shutDown(p.Dir); err != nil {
		t.Skipf("power can't be cut here: %v", err)
	}
	p.Back()
	return p
}

func (p *Disk) mount() ([]byte, error) {
	return exec.Command("mount", "-t", "ext4", "-o", "loop", p.image, p.Dir).CombinedOutput()
}

// unmount tries again for a while: a program that another test is just starting
// holds the files that are open here until it runs.
func unmount(dir string) error {
	for tries := 1; ; tries++ {
		out, err := exec.Command("umount", dir).CombinedOutput()
		if err == nil {
			return nil
		}
		if tries == 1000 || !bytes.Contains(out, []byte("busy")) {
			return fmt.Errorf("umount: %w, %s", err, out)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Cut cuts the power: what has not been synced is lost, and nothing more is
// written.
func (p *Disk) Cut() {
	if err := shutDown(p.Dir); err != nil {
		p.t.Errorf("shutting the file system down: %v", err)
	}
}

// Back returns the power: the disk is mounted as it is, and the file system
// repairs itself from its journal. It is a copy of the disk: the kernel keeps the
// dead file system for as long as another namespace of mounts holds it, as one
// that a test beside this one makes, and would mount the same again.
func (p *Disk) Back() {
	p.t.Helper()
	must(p.t, unmount(p.Dir))
	dead := p.image
	p.image = filepath.Join(p.t.TempDir(), "disk")
	if out, err := exec.Command("cp", "--sparse=always", dead, p.image).CombinedOutput(); err != nil {
		p.t.Fatalf("copying the disk: %v, %s", err, out)
	}
	must(p.t, os.Remove(dead))
	if out, err := p.mount(); err != nil {
		p.t.Fatalf("mount: %v, %s", err, out)
	}
}

// cutOne lets a victim work until the power fails and returns what it had
// acknowledged before. What it says after that does not count, for here its
// processor goes on: a sync that has begun before the cut may return as if all
// were well when it finds its transaction gone from the journal.
func (p *Disk) cutOne() []string {
	_, acked := interrupt(p.t, p.Dir, 100*time.Millisecond, func(victim *os.Process) {
		p.Cut()
		victim.Kill()
	})
	p.Back()
	return acked
}

// controlVariable tells a victim to work as carelessly as the control does.
const controlVariable = "COLLIE_TEST_CONTROL"

// TestCutStore cuts the power of the disk while a process writes to a store,
// again and again at random moments: no acknowledged event may be lost. The same
// with careless, which opens a store that does not sync each commit, must lose
// some, or else the test shows nothing.
func TestCutStore(t *testing.T, open, careless func(tb testing.TB, place string) Store) {
	if place := os.Getenv(placeVariable); place != "" {
		if os.Getenv(controlVariable) != "" {
			open = careless
		}
		storeVictim(t, open(t, place))
		return
	}
	trial := func(cuts int) (acked, lost int) {
		p := NewDisk(t)
		all := map[string]bool{}
		for range cuts {
			for _, line := range p.cutOne() {
				all[line] = true
			}
			gone, _ := missing(t, open(t, p.Dir), all)
			for _, line := range gone {
				delete(all, line)
			}
			lost += len(gone)
		}
		return len(all) + lost, lost
	}
	controlled(t, "events", trial)
}

// controlled cuts the power often enough to show that nothing acknowledged is
// lost, and then runs the control, which must lose something.
func controlled(t *testing.T, what string, trial func(cuts int) (acked, lost int)) {
	cuts, controls := Rounds(30, 200), Rounds(6, 30)
	acked, lost := trial(cuts)
	t.Logf("%d power cuts: %d %s acknowledged, %d lost", cuts, acked, what, lost)
	if lost > 0 || acked < cuts {
		t.Errorf("%d of %d acknowledged %s were lost, want none", lost, acked, what)
	}
	t.Setenv(controlVariable, "1")
	acked, lost = trial(controls)
	t.Logf("control, %d power cuts: %d %s acknowledged, %d lost", controls, acked, what, lost)
	if lost == 0 {
		t.Error("the control lost nothing, so the test shows nothing")
	}
}

// TestCutBlobs is TestCutStore for blobs: what was acknowledged is there, and
// whole. The control writes files without a sync.
func TestCutBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	if place := os.Getenv(placeVariable); place != "" {
		if os.Getenv(controlVariable) != "" {
			blobsVictim(t, carelessBlobs{dir: place})
			return
		}
		blobsVictim(t, open(t, place))
		return
	}
	trial := func(cuts int) (acked, lost int) {
		p := NewDisk(t)
		for range cuts {
			lines := p.cutOne()
			b := open(t, p.Dir)
			for _, key := range lines {
				if !whole(t, b, key) {
					lost++
				}
			}
			acked += len(lines)
			must(t, b.Close())
			must(t, os.RemoveAll(filepath.Join(p.Dir, "victim"))) // the disk is small
		}
		return acked, lost
	}
	controlled(t, "files", trial)
}

// whole reports whether a victim's blob is there with all of its content.
func whole(t *testing.T, b Blobs, key string) bool {
	file, err := b.Open(t.Context(), key)
	if err != nil {
		return false
	}
	defer file.Close()
	got, err := io.ReadAll(file)
	return err == nil && bytes.Equal(got, content(victimSize))
}

// carelessBlobs is a folder of files that are written and renamed, but not
// synced. Nothing but Put is possible.
type carelessBlobs struct {
	Blobs
	dir string
}

func (c carelessBlobs) Put(_ context.Context, key string, write func(io.Writer) error) error {
	time.Sleep(time.Millisecond) // at the speed of memory the disk would be full before the cut
	name := filepath.Join(c.dir, key)
	var b bytes.Buffer
	return errors.Join(write(&b), os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name+"~", b.Bytes(), 0o600), os.Rename(name+"~", name))
}
