package storagetest

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/segment"
)

// placeVariable tells a test run that it is the victim, and where it works.
const placeVariable = "COLLIE_TEST_VICTIM"

// Long is set when the long forms of the tests run, see the target torture of
// the Makefile.
var Long = os.Getenv("COLLIE_TORTURE") != ""

// Rounds is how often a test does its worst.
func Rounds(short, long int) int {
	if Long {
		return long
	}
	return short
}

// injectsFaults skips a test that kills processes or breaks disks with -short.
func injectsFaults(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
}

// mark starts the lines in which a victim tells what was acknowledged.
const mark = "acknowledged "

// IsVictim reports whether this process is one that a test started to have it
// killed or its disk fail; it need not leave things tidy.
func IsVictim() bool { return os.Getenv(placeVariable) != "" }

// reexec runs the calling test in a process of its own, in which
// os.Getenv(placeVariable) is place. Command may name a program to run it under.
func reexec(t *testing.T, place string, command ...string) *exec.Cmd {
	t.Helper()
	injectsFaults(t)
	self, err := os.Executable()
	must(t, err)
	command = append(command, self, "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.count=1")
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), placeVariable+"="+place)
	return cmd
}

// acknowledge tells the parent of an acknowledgement and when it was given, in
// one write so that a kill can't tear it.
func acknowledge(format string, args ...any) {
	now := time.Now().UnixNano()
	os.Stdout.WriteString(fmt.Sprint(mark, now, " ", fmt.Sprintf(format, args...), "\n"))
}

// interrupt starts a victim, calls blow with its process at a random moment
// after its first acknowledgement, within which it must come to an end, and
// returns what it had acknowledged, in all and before that moment.
func interrupt(t *testing.T, place string, within time.Duration, blow func(victim *os.Process)) (acked, before []string) {
	t.Helper()
	cmd := reexec(t, place)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var other []string
	var moment int64
	times := map[string]int64{}
	var timer *time.Timer
	struck := make(chan struct{})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line, ok := strings.CutPrefix(lines.Text(), mark)
		if !ok {
			other = append(other, lines.Text())
			continue
		}
		stamp, what, _ := strings.Cut(line, " ")
		times[what], err = strconv.ParseInt(stamp, 10, 64)
		must(t, err)
		acked = append(acked, what)
		if timer == nil {
			timer = time.AfterFunc(rand.N(within), func() {
				defer close(struck)
				moment = time.Now().UnixNano()
				blow(cmd.Process)
			})
		}
	}
	if timer == nil || timer.Stop() {
		cmd.Wait()
		t.Fatalf("the victim ended by itself:\n%s\n%s", strings.Join(other, "\n"), stderr.String())
	}
	<-struck
	cmd.Wait()
	return acked, slices.DeleteFunc(slices.Clone(acked), func(what string) bool { return times[what] >= moment })
}

// killOne starts a victim and kills it with SIGKILL at a random moment of its
// work.
func killOne(t *testing.T, place string) []string {
	t.Helper()
	acked, _ := interrupt(t, place, 100*time.Millisecond, func(victim *os.Process) { victim.Kill() })
	return acked
}

// TestKilledStore kills a process that writes to a store, again and again at
// random moments. No acknowledged event may be lost or doubled and no log may
// have a gap. It must be called by a test function, not by a subtest.
func TestKilledStore(t *testing.T, open func(tb testing.TB, place string) Store) {
	t.Parallel()
	if place := os.Getenv(placeVariable); place != "" {
		storeVictim(t, open(t, place))
		return
	}
	place, kills := t.TempDir(), Rounds(20, 200)
	acked := map[string]bool{}
	for range kills {
		for _, line := range killOne(t, place) {
			acked[line] = true
		}
	}
	lost, kept := missing(t, open(t, place), acked)
	for _, line := range lost {
		t.Errorf("lost: %s", line)
	}
	t.Logf("%d kills, %d events acknowledged, %d kept", kills, len(acked), kept)
}

// missing returns which acknowledged events the store has lost, and how many it
// keeps in all, checks that no log has gaps or an event twice, and closes it.
func missing(t *testing.T, s Store, acked map[string]bool) (lost []string, kept int) {
	t.Helper()
	defer closeStore(t, s)
	there := map[string]bool{}
	for _, p := range mustList(t, s) {
		images, err := s.ImagesAfter(t.Context(), p.ID, "", 1e6)
		must(t, err)
		for _, im := range images {
			for _, e := range checkLog(t, s, im.ID, im.Seq) {
				there[fmt.Sprint(im.ID, " ", e.Seq, " ", e.ID)] = true
			}
		}
	}
	for line := range acked {
		if !there[line] {
			lost = append(lost, line)
		}
	}
	return lost, len(there)
}

// storeVictim appends to several images at once until it is killed.
func storeVictim(t *testing.T, s Store) {
	if len(mustList(t, s)) == 0 {
		must(t, s.CreateProject(t.Context(), newProject("victim")))
	}
	project := mustList(t, s)[0].ID
	images, err := s.ImagesAfter(t.Context(), project, "", 1e6)
	must(t, err)
	for len(images) < 4 {
		im := newImage(project, "victim")
		must(t, s.CreateImage(t.Context(), im, 0))
		images = append(images, im)
	}
	failed := make(chan error)
	for _, im := range images {
		for range 2 {
			go func() {
				for seq := im.Seq; ; {
					e := label(segment.NewID(), 1)
					err := s.Append(t.Context(), im.ID, seq, e, segment.Progress{Clicks: seq + 1})
					switch segment.KindOf(err) {
					case 0:
						if err != nil {
							failed <- err
							return
						}
						seq++
						acknowledge("%s %d %s", im.ID, seq, e.ID)
					case segment.Conflict:
						now, err := s.Image(t.Context(), im.ID)
						if err != nil {
							failed <- err
							return
						}
						seq = now.Seq
					default:
						failed <- err
						return
					}
				}
			}()
		}
	}
	t.Fatal(<-failed)
}

// TestKilledBlobs is TestKilledStore for blobs: what is there is whole, and what
// was acknowledged is there. Nothing half-written may remain after reopening.
func TestKilledBlobs(t *testing.T, open func(tb testing.TB, place string) Blobs) {
	t.Parallel()
	if place := os.Getenv(placeVariable); place != "" {
		blobsVictim(t, open(t, place))
		return
	}
	place, kills := t.TempDir(), Rounds(20, 200)
	acked, leftovers, whole := 0, 0, sizeOnDisk(t, open)
	for range kills {
		lines := killOne(t, place)
		before := len(files(t, place))
		b := open(t, place)
		leftovers += before - len(files(t, place))
		for _, key := range lines {
			if got := read(t, b, key); !bytes.Equal(got, content(victimSize)) {
				t.Errorf("%s has %d bytes or other ones", key, len(got))
			}
		}
		for _, name := range files(t, place) {
			if info, err := os.Stat(name); err != nil || info.Size() != whole {
				t.Errorf("%s is not whole: %v, %v", name, info, err)
			}
		}
		acked += len(lines)
		must(t, b.Close())
	}
	t.Logf("%d kills, %d blobs acknowledged, %d half-written ones removed", kills, acked, leftovers)
}

const victimSize = 100_000

// sizeOnDisk is what the file of a victim's blob takes, with whatever the store
// adds to it; 0 when the store keeps no files in its place.
func sizeOnDisk(t *testing.T, open func(tb testing.TB, place string) Blobs) int64 {
	place := t.TempDir()
	b := open(t, place)
	must(t, b.Put(t.Context(), "whole", writes(content(victimSize))))
	must(t, b.Close())
	kept := files(t, place)
	if len(kept) == 0 {
		return 0
	}
	info, err := os.Stat(kept[0])
	must(t, err)
	return info.Size()
}

// blobsVictim puts blobs from several goroutines until it is killed, or until
// they are as many as a small disk holds.
func blobsVictim(t *testing.T, b Blobs) {
	const each = 80
	failed := make(chan error)
	for range 4 {
		go func() {
			for range each {
				key := "victim/" + segment.NewID()
				if err := b.Put(t.Context(), key, writes(content(victimSize))); err != nil {
					failed <- err
					return
				}
				acknowledge("%s", key)
			}
			time.Sleep(time.Hour) // for the end
		}()
	}
	t.Fatal(<-failed)
}
