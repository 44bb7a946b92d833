package main

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"collie/segment/photo/phototest"
)

// programs is the folder of the built programs, server and collie.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "collie")
	if err != nil {
		panic(err)
	}
	for name, source := range map[string]string{"server": "../server", "collie": "."} {
		if out, err := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(dir, name), source).CombinedOutput(); err != nil {
			panic(fmt.Sprintf("go build: %v\n%s", err, out))
		}
	}
	programs = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// place is a working folder and the environment of what runs in it.
type place struct {
	tb     testing.TB
	folder string
	env    []string
}

func newPlace(tb testing.TB, env ...string) *place {
	modules, err := filepath.Abs("../../python")
	if err != nil {
		tb.Fatal(err)
	}
	env = append(env, "PATH="+programs+":"+os.Getenv("PATH"), "PYTHONPATH="+modules, "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", "HOME="+tb.TempDir())
	return &place{tb, tb.TempDir(), env}
}

// try runs a program and returns what it writes.
func (p *place) try(stdin, name string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(p.tb.Context(), name, arguments...)
	if !strings.Contains(name, "/") {
		if own := filepath.Join(programs, name); fileExists(own) {
			cmd = exec.CommandContext(p.tb.Context(), own, arguments...)
		}
	}
	cmd.Dir, cmd.Env, cmd.Stdin = p.folder, p.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// do is try for commands that must succeed.
func (p *place) do(stdin, name string, arguments ...string) string {
	p.tb.Helper()
	out, err := p.try(stdin, name, arguments...)
	if err != nil {
		p.tb.Fatalf("%s %q: %v\n%s", name, arguments, err, out)
	}
	return out
}

// fails runs collie and expects it to fail with a message.
func (p *place) fails(says string, arguments ...string) {
	p.tb.Helper()
	if out, err := p.try("", "collie", arguments...); err == nil || !strings.Contains(out, says) {
		p.tb.Errorf("collie %q: %v, want it to say %q:\n%s", arguments, err, says, out)
	}
}

// serve starts a server with login over a new folder, whose admin is ann, and
// returns a place whose environment has its address and a token of hers.
func serve(tb testing.TB) *place {
	tb.Helper()
	data := tb.TempDir()
	newPlace(tb, "COLLIE_DATA="+data).do("correct horse\n", "server", "users", "add", "ann", "--role", "admin")
	server := exec.Command(filepath.Join(programs, "server"), "--auth", "--listen", "127.0.0.1:0", "--data", data)
	out, err := server.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := server.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			tb.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if address == "" {
		tb.Fatalf("%q, %v", line, err)
	}
	p := newPlace(tb, "COLLIE_DATA="+data, "COLLIE_URL="+address)
	token := strings.TrimSpace(p.do("", "server", "tokens", "create", "ann", "test", "--scope", "admin"))
	p.env = append(p.env, "COLLIE_TOKEN="+token)
	return p
}

// beach is the class at a pixel of one of three pictures: sky, sea or sand.
func beach(i, x, y int) uint8 { return uint8(min((y+x*i/8)/24, 2)) }

// photographs writes the three pictures.
func (p *place) photographs(folder string) {
	p.tb.Helper()
	p.draw(folder, func(i int) image.Image {
		im := image.NewNRGBA(image.Rect(0, 0, 96, 72))
		for at := range im.Pix {
			c := []color.NRGBA{{120, 170, 250, 255}, {20, 90, 130, 255}, {220, 190, 130, 255}}[beach(i, at/4%96, at/4/96)]
			im.Pix[at] = []uint8{c.R, c.G, c.B, c.A}[at%4] ^ uint8(at*7%5)
			if at%4 == 3 {
				im.Pix[at] = 255
			}
		}
		return im
	})
}

// masks writes the truth of the three pictures.
func (p *place) masks(folder string) {
	p.tb.Helper()
	p.draw(folder, func(i int) image.Image {
		im := image.NewGray(image.Rect(0, 0, 96, 72))
		for at := range im.Pix {
			im.Pix[at] = beach(i, at%96, at/96)
		}
		return im
	})
}

// draw writes three images to a folder.
func (p *place) draw(folder string, picture func(i int) image.Image) {
	p.tb.Helper()
	if err := os.MkdirAll(filepath.Join(p.folder, folder), 0o755); err != nil {
		p.tb.Fatal(err)
	}
	for i := range 3 {
		if err := os.WriteFile(filepath.Join(p.folder, folder, fmt.Sprintf("beach%d.png", i)), phototest.MustPNG(p.tb, picture(i)), 0o600); err != nil {
			p.tb.Fatal(err)
		}
	}
}

var block = regexp.MustCompile("(?ms)^```(sh|python)\n(.*?)^```$")

// page runs the blocks of a page one after the other, with some texts replaced by
// others, and returns how many. Shell variables last from block to block; programs
// still running at the end are stopped.
func (p *place) page(path string, oldnew ...string) int {
	p.tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		p.tb.Fatal(err)
	}
	blocks := block.FindAllSubmatch(text, -1)
	var all strings.Builder
	all.WriteString("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n")
	for i, b := range blocks {
		if string(b[1]) == "sh" {
			fmt.Fprintf(&all, "echo '# block %d' >&2\n%s", i+1, b[2])
			continue
		}
		fmt.Fprintf(&all, "echo '# block %d' >&2\n/usr/bin/python3 - <<'END OF BLOCK'\n%sEND OF BLOCK\n", i+1, b[2])
	}
	p.do(strings.NewReplacer(oldnew...).Replace(all.String()), "bash", "-euo", "pipefail", "-s")
	return len(blocks)
}
