package main

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"collie/cmd/server/machine"
	"collie/segment"
	"collie/segment/audit"
	"collie/segment/reserve"
	"collie/storage/disk"
)

// What an installation should have. The thresholds are far from what a healthy
// machine measures, so that a busy one gets no advice.
const (
	slowSync    = 50 * time.Millisecond // every click waits for about one
	leastMemory = 1 << 30               // bytes
	leastFiles  = 4096                  // 1,024 websockets, uploads, exports and the database
	clockSlack  = 5 * time.Second
)

// installation examines the machine and the folder, and gives advice, which
// doesn't count as damage: the data can be read and is whole.
func (v *visit) installation(ctx context.Context, folder string) error {
	sync, stamp, err := measureDisk(folder)
	if err != nil {
		v.say("advice: nothing can be saved in %s: %v", folder, err)
		return nil
	}
	v.say("disk: an fsync takes %v (median of %d)", sync.Round(10*time.Microsecond), syncs)
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	free, kept, err := freeSpace(folder)
	if err != nil {
		return err
	}
	newest, err := v.store.EntriesBefore(ctx, 0, 200)
	if err != nil {
		return err
	}
	for _, advice := range []string{
		rightsAdvice(folder, info.Mode()),
		ownerAdvice(folder),
		diskAdvice(sync),
		spaceAdvice(free, kept),
		memoryAdvice(machine.Memory("/")),
		filesAdvice(machine.OpenFiles()),
		clockAdvice(time.Now(), stamp, newest),
		proxyAdvice(newest),
	} {
		if advice != "" {
			v.say("advice: %s", advice)
		}
	}
	return nil
}

// syncs is how often the disk is measured.
const syncs = 9

// measureDisk returns the median time of an fsync in a folder, and the time that
// the file system gives a file written now.
func measureDisk(folder string) (median time.Duration, stamp time.Time, err error) {
	file, err := disk.TemporaryFile(folder)
	if err != nil {
		return 0, stamp, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	var took []time.Duration
	for range syncs {
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return 0, stamp, err
		}
		began := time.Now()
		if err := file.Sync(); err != nil {
			return 0, stamp, err
		}
		took = append(took, time.Since(began))
	}
	info, err := file.Stat()
	if err != nil {
		return 0, stamp, err
	}
	slices.Sort(took)
	return took[syncs/2], info.ModTime(), nil
}

// rightsAdvice says when others on the machine can read the data folder.
func rightsAdvice(folder string, mode fs.FileMode) string {
	if runtime.GOOS == "windows" || mode.Perm()&0o077 == 0 {
		return ""
	}
	return fmt.Sprintf("other users of this machine can get into %s (mode %#o), which holds images and password hashes: chmod 0700 %s", folder, mode.Perm(), filepath.Clean(folder))
}

// ownerAdvice says when the user who runs the server may not be able to read some of
// the data, as after a command of root before these gave what they made to that user.
func ownerAdvice(folder string) string {
	count, first, err := disk.OfOthers(folder)
	if err != nil || count == 0 { // what can't be looked at is reported with its image
		return ""
	}
	return fmt.Sprintf("not owned by the user who owns the data folder: %s in %s, such as %s. Use chown -R --reference %s %s", segment.Counted(count, "file"), folder, first, filepath.Clean(folder), filepath.Clean(folder))
}

// diskAdvice says when people will wait for the disk.
func diskAdvice(sync time.Duration) string {
	if sync <= slowSync {
		return ""
	}
	return fmt.Sprintf("the disk is slow: every saved click waits about %v for it. Put the data folder on a local solid-state disk", sync.Round(time.Millisecond))
}

// freeSpace returns the free bytes on the disk of a folder, and how many of them are
// kept for edits; 0 where that is not known.
func freeSpace(folder string) (free, kept int64, err error) {
	f, err := os.Open(folder)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	free, kept, ok := reserve.Space(f)
	if !ok {
		return 0, 0, nil
	}
	return free, kept, nil
}

// spaceAdvice says when the disk has no room for anything but edits.
func spaceAdvice(free, kept int64) string {
	if free >= kept {
		return ""
	}
	return fmt.Sprintf("the disk has %s left, and the last %s are kept for edits, so uploads, imports and exports are refused: make room (docs/administrators.md#when-the-disk-is-nearly-full)", sizeText(free), sizeText(kept))
}

// memoryAdvice says when a few large images would fill the memory, which has a
// number of bytes; 0 is unknown.
func memoryAdvice(memory int64) string {
	if memory == 0 || memory >= leastMemory {
		return ""
	}
	return fmt.Sprintf("this machine, container or service has %s of memory; give it %s or more, or lower the limits on uploads (docs/limits.md)", sizeText(memory), sizeText(leastMemory))
}

// filesAdvice says when the program can't open enough files and connections; 0 is
// unknown.
func filesAdvice(limit uint64) string {
	if limit == 0 || limit >= leastFiles {
		return ""
	}
	return fmt.Sprintf("this user's programs can open only %d files and connections; raise it to %d or more (ulimit -Hn, or LimitNOFILE= of a systemd unit)", limit, leastFiles)
}

// clockAdvice says when the clock can't be right: behind entries of the audit log,
// the newest first, or apart from that of the file system, which stamped a file
// just now. Sessions, tokens, certificates and the trash go by the clock.
func clockAdvice(now, stamp time.Time, newest []audit.Entry) string {
	for _, e := range newest {
		if ahead := e.At.Sub(now); ahead > clockSlack {
			return fmt.Sprintf("the clock says %s, but the audit log has an entry from %s: set the clock, for example with NTP", now.UTC().Format(time.DateTime), e.At.UTC().Format(time.DateTime))
		}
	}
	if apart := now.Sub(stamp); math.Abs(apart.Seconds()) > clockSlack.Seconds() {
		return fmt.Sprintf("the clock of this machine and that of its file system are %v apart: set both, for example with NTP", apart.Abs().Round(time.Second))
	}
	return ""
}

// fewestSignIns is how many sign-ins tell whether a proxy names its clients.
const fewestSignIns = 5

// proxyAdvice says when everybody seems to sign in from this machine although the
// server's last start named an address of others: then the proxy in front of it
// does not say who its clients are, and limits on guessing passwords count all of
// them as one. Entries come newest first.
func proxyAdvice(newest []audit.Entry) string {
	signIns := 0
	for _, e := range newest {
		switch e.Action {
		case audit.SignedIn:
			if a, err := netip.ParseAddr(e.Address); err != nil || !a.IsLoopback() {
				return ""
			}
			signIns++
		case audit.ServerStarted:
			if signIns < fewestSignIns || !strings.Contains(e.Detail, `origin "https://`) {
				return ""
			}
			return fmt.Sprintf("the last %d sign-ins all came from this machine itself: the proxy in front of the server doesn't send X-Forwarded-For, or --proxy doesn't list it (docs/access.md)", signIns)
		}
	}
	return ""
}
