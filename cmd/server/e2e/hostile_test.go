package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	"image/jpeg"
	"io"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"collie/segment/photo/phototest"
	"collie/sharedtest"
	"collie/storage/storagetest"
)

// outcome is the set of accepted answers to uploading a file from a folder of the
// corpus. The folders are named after what Go's decoders make of the files.
var outcome = map[string][]int{
	"ok":            {201},
	"bounds-differ": {201},           // a GIF whose first frame covers a part of the canvas
	"empty-bounds":  {422},           // a GIF whose first frame has no pixels
	"zero-dim":      {422},           // the header says that there are no pixels
	"over-50MP":     {413},           // the header says that there are too many
	"header-error":  {422, 415, 413}, // 415: the first bytes are broken, or it is of a rare kind; 413: the size overflows a number of the decoder
	"decode-error":  {422, 415},
}

// signed is a sound image of numbers with a sign, which Go's decoder doesn't know.
const signed = "pillow__Tests__images__16bit.s.tif"

// overLimits reports whether a file's header states a size over the server's
// limits, which are lower than those that the folders are sorted by.
func overLimits(tb testing.TB, name string) bool {
	tb.Helper()
	file, err := os.Open(name)
	if err != nil {
		tb.Error(err)
		return false
	}
	defer file.Close()
	c, _, err := image.DecodeConfig(file)
	return err == nil && min(c.Width, c.Height) > 0 && (max(c.Width, c.Height) > 16384 || int64(c.Width)*int64(c.Height) > 40e6)
}

// bombs are malicious files, each with the required answer.
var bombs = map[string]int{
	"bmp_2e9.bmp": 413, "bmp_7000x7000_hdronly.bmp": 413, "bmp_negH.bmp": 413,
	"gif_20000frames_8x8.gif": 201, "gif_300frames_2000x2000.gif": 201, "gif_canvas65535_frame1.gif": 413,
	"html_as.jpg": 415, "svg_script.svg": 415,
	"jpeg_65500_hdr.jpg": 413, "jpeg_7000_hdr_16data.jpg": 413, "jpeg_7000x7000.jpg": 413,
	"png_1x100000000.png": 413, "png_20000x20000_rgb8_full.png": 413, "png_2147483647x2147483647.png": 413, "png_50000x50000_gray_trunc.png": 413,
	"png_7000x7000_interlaced.png": 413, "png_7000x7000_rgba16_full.png": 413, "png_7000x7000_rgba8.png": 413, "png_ztxt_iccp_bomb.png": 201,
	"polyglot_gif_js.gif": 201, "polyglot_png_html.png": 201, "polyglot_png_zip.png": 201,
	"tiff_16x16_deflate2GiB.tif": 201, "tiff_4e9.tif": 413, "tiff_7000x7000_deflate.tif": 413,
	"zip_65000_entries.zip": 413, "zip_bomb_1GiB.zip": 413, "zip_slip.zip": 422,
}

// project makes a project and returns the address that takes its images.
func (p *process) project() string {
	p.tb.Helper()
	var made struct {
		ID string `json:"id"`
	}
	resp, err := http.Post(p.url+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Corpus"}`))
	if err != nil {
		p.tb.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		p.tb.Fatal(err)
	}
	return p.url + "/api/v1/projects/" + made.ID + "/images"
}

// together uploads files from 16 senders at once and gives each answer to check.
func together(tb testing.TB, url string, names []string, check func(name string, status int, body []byte, took time.Duration)) {
	tb.Helper()
	queue := make(chan string)
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for name := range queue {
				content, err := os.ReadFile(name)
				if err != nil {
					tb.Error(err)
					continue
				}
				began := time.Now()
				status, body, err := upload(url, filepath.Base(name), content)
				if err != nil {
					tb.Errorf("%s: %v", name, err)
					continue
				}
				check(name, status, body, time.Since(began))
			}
		})
	}
	for _, name := range names {
		queue <- name
	}
	close(queue)
	senders.Wait()
}

// upload sends one file.
func upload(url, name string, content []byte) (status int, answer []byte, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return 0, nil, err
	}
	if _, err := part.Write(content); err != nil {
		return 0, nil, err
	}
	if err := form.Close(); err != nil {
		return 0, nil, err
	}
	resp, err := http.Post(url, form.FormDataContentType(), &body)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// unharmed stops the server and checks that no request made it panic.
func (p *process) unharmed() {
	p.tb.Helper()
	p.stop()
	if strings.Contains(p.stderr.String(), "panic") {
		p.tb.Errorf("the log tells of a panic:\n%s", p.stderr)
	}
}

// Each of 579 odd or broken images, 16 at once, is answered with a record or
// with the refusal that fits it.
func TestHostileImages(t *testing.T) {
	dir := sharedtest.Path(t, "corpus/images")
	measuresMemory(t)
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) < 500 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	p := start(t, t.TempDir())
	var mu sync.Mutex
	answers := map[string]int{}
	together(t, p.project(), names, func(name string, status int, body []byte, _ time.Duration) {
		folder := filepath.Base(filepath.Dir(name))
		want := outcome[folder]
		if filepath.Base(name) == signed {
			want = []int{201}
		}
		if overLimits(t, name) {
			want = []int{413}
		}
		if !slices.Contains(want, status) {
			t.Errorf("%s/%s: %d, want one of %v: %s", folder, filepath.Base(name), status, want, body)
		}
		mu.Lock()
		defer mu.Unlock()
		answers[fmt.Sprintf("%s %d", folder, status)]++
	})
	for _, k := range slices.Sorted(maps.Keys(answers)) {
		t.Logf("%s: %d files", k, answers[k])
	}
	peak := peakMemory(t, p.cmd.Process.Pid)
	t.Logf("%d files, peak %d MiB", len(names), peak>>20)
	if peak > 1<<30 {
		t.Errorf("the server's memory reached %d MiB, want at most 1024", peak>>20)
	}
	p.unharmed()
}

// All bombs, first one by one and then each 16 times at once, are answered quickly
// and in little memory.
func TestBombs(t *testing.T) {
	dir := sharedtest.Path(t, "corpus/bombs")
	measuresMemory(t)
	p := start(t, t.TempDir())
	url := p.project()
	for _, name := range slices.Sorted(maps.Keys(bombs)) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		before := processorTime(t, p.cmd.Process.Pid)
		status, body, err := upload(url, name, content)
		took := processorTime(t, p.cmd.Process.Pid) - before
		if err != nil || status != bombs[name] {
			t.Errorf("%s: %d %v, want %d: %.300s", name, status, err, bombs[name], body)
		}
		t.Logf("%-32s %d %5d ms", name, status, took.Milliseconds())
		if took > 5*time.Second { // most take a few ms, none more than 1 s
			t.Errorf("%s took %v of the processor", name, took)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != len(bombs) {
		t.Errorf("%d bombs in the folder, %d expectations, %v", len(all), len(bombs), err)
	}
	var names []string
	for name := range bombs {
		names = append(names, slices.Repeat([]string{filepath.Join(dir, name)}, 16)...)
	}
	var mu sync.Mutex
	var slowest time.Duration
	together(t, url, names, func(name string, status int, body []byte, took time.Duration) {
		// 429: of zip archives only a few are read at once.
		if want := bombs[filepath.Base(name)]; status != want && !(status == 429 && filepath.Ext(name) == ".zip") {
			t.Errorf("%s: %d, want %d: %.300s", filepath.Base(name), status, want, body)
		}
		mu.Lock()
		defer mu.Unlock()
		slowest = max(slowest, took)
	})
	peak := peakMemory(t, p.cmd.Process.Pid)
	t.Logf("%d bombs, 16 at once: slowest %v, peak %d MiB", len(names), slowest.Round(time.Millisecond), peak>>20)
	if peak > 1<<30 {
		t.Errorf("the server's memory reached %d MiB, want at most 1024", peak>>20)
	}
	p.unharmed()
}

// 16 photographs of the largest size, uploaded at once, are all accepted, one after
// the other as memory allows.
func TestGreatestImages(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: decodes the greatest images there can be")
	}
	measuresMemory(t)
	images := storagetest.Rounds(2, 16)
	img := image.NewYCbCr(image.Rect(0, 0, 8000, 5000), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		x, y := i%8000, i/8000
		img.Y[i] = color.Gray{uint8(x/40*y/50 + int(uint32(i)*2654435761>>20)&15)}.Y
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "large.jpg")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, t.TempDir())
	began := time.Now()
	together(t, p.project(), slices.Repeat([]string{name}, images), func(_ string, status int, body []byte, _ time.Duration) {
		if status != http.StatusCreated {
			t.Errorf("%d %s", status, body)
		}
	})
	peak := peakMemory(t, p.cmd.Process.Pid)
	t.Logf("%d images of 40 megapixels in %v, peak %d MiB", images, time.Since(began).Round(time.Millisecond), peak>>20)
	if peak > 1<<30 {
		t.Errorf("the server's memory reached %d MiB, want at most 1024", peak>>20)
	}
	p.unharmed()
}

// measuresMemory runs a test in parallel with others. It skips the test under the
// race detector, which multiplies the program's memory.
func measuresMemory(t *testing.T) {
	t.Helper()
	if sharedtest.Race {
		t.Skip("skipped: the race detector takes memory itself")
	}
	t.Parallel()
}

// processorTime is the time that a process has computed, in steps of 10 ms. Unlike
// time by the clock it doesn't grow with what else the machine does.
func processorTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Skipf("processor time is read from /proc: %v", err)
	}
	var user, system int
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // behind the name; utime is field 14 of all
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// peakMemory is a process's peak resident memory in bytes.
func peakMemory(tb testing.TB, pid int) int64 {
	tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Skipf("the peak of memory is read from /proc: %v", err)
	}
	var kib int64
	for line := range strings.Lines(string(b)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	tb.Fatal("no VmHWM in /proc")
	return 0
}

// Images that are a single superpixel at first are answered with hypotheses, too.
func TestTinyImages(t *testing.T) {
	p := start(t, t.TempDir())
	var project struct{ ID string }
	p.post("/api/v1/projects", "application/json", []byte(`{"name":"Tiny","classes":[{"name":"ground"},{"name":"thing"}],"rest":0}`), &project)
	for _, size := range []image.Point{{15, 15}, {16, 16}, {22, 22}, {510, 1}, {1, 511}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		for at := range img.Pix {
			img.Pix[at] = uint8(at * at)
		}
		content := phototest.MustPNG(t, img)
		for name, event := range map[string]string{
			"label": `"kind":"label","class":1,"points":[[0,0]]`,
			"box":   fmt.Sprintf(`"kind":"box","class":1,"points":[[0,0],[%d,%d]]`, (size.X+1)/2, (size.Y+1)/2),
		} {
			status, body, err := upload(p.url+"/api/v1/projects/"+project.ID+"/images", name+".png", content)
			var made []struct{ ID string }
			if err != nil || status != http.StatusCreated || json.Unmarshal(body, &made) != nil {
				t.Fatalf("%v: %d %v %s", size, status, err, body)
			}
			var seen struct{ Hypotheses []any }
			p.post("/api/v1/images/"+made[0].ID+"/evidence", "application/json", fmt.Appendf(nil, `{"id":"e","expected_seq":0,%s}`, event), nil)
			p.call("GET", "/api/v1/images/"+made[0].ID+"/hypotheses", http.StatusOK, &seen)
			if len(seen.Hypotheses) < 2 {
				t.Errorf("%v: %d hypotheses after a %s", size, len(seen.Hypotheses), name)
			}
		}
	}
	p.unharmed()
}
