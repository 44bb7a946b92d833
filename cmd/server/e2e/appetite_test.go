package e2e

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color/palette"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"collie/segment/photo/phototest"
	"collie/sharedtest"
	"collie/storage/storagetest"
)

// glutton is a request that tries to take as much memory as it can.
type glutton struct {
	name, method, path string // {project} stands for the id of a project
	kind               string
	body               []byte
	want               []int
	most               int64 // MiB above the idle server; 0 means 300
}

// zipped is an archive of one file.
func zipped(tb testing.TB, name string, content []byte) []byte {
	tb.Helper()
	return zippedAll(tb, fstest.MapFS{name: {Data: content}})
}

// zippedAll is a zip archive of files.
func zippedAll(tb testing.TB, files fstest.MapFS) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(files); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// formOf is a body with files.
func formOf(tb testing.TB, names []string, content []byte) (body []byte, kind string) {
	tb.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, name := range names {
		w, err := form.CreateFormFile("file", name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			tb.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes(), form.FormDataContentType()
}

// many is a JSON list of at least the given number of bytes that repeats one
// entry, with %d replaced by its number. Random text keeps the list within the
// compression ratio that archives can have.
func many(entry string, size int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(entry, "%d") {
			fmt.Fprintf(&b, entry, i)
		} else {
			b.WriteString(entry)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// ballast is text that does not compress, so that an archive of many repeats is
// within the ratio.
func ballast(size int) string {
	b := make([]byte, size)
	for i, x := 0, uint32(1); i < size; i++ {
		x = x*1664525 + 1013904223
		b[i] = 'a' + byte(x>>24)%26
	}
	return string(b)
}

func pngOf(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// gluttons are all of them.
func gluttons(tb testing.TB) []glutton {
	tb.Helper()
	const imports = "/api/v1/projects/{project}/imports"
	var all []glutton
	upload := func(name, path, file string, content []byte, want ...int) {
		body, kind := formOf(tb, []string{file}, content)
		all = append(all, glutton{name: name, method: "POST", path: path, kind: kind, body: body, want: want})
	}
	plain := func(name, method, path, kind, body string, want ...int) {
		all = append(all, glutton{name: name, method: method, path: path, kind: kind, body: []byte(body), want: want})
	}
	const mib = 1 << 20
	list := storagetest.Rounds(8, 32) * mib // 8 MiB are 2.8 million entries, which take more than 300 MiB when they are kept
	noise := ballast(300 << 10)
	plain("a body that calls itself multipart", "POST", "/api/v1/projects", "multipart/x", strings.Repeat(" ", 64*mib)+"{}", 413)
	body, kind := formOf(tb, []string{"a.json"}, bytes.Repeat([]byte(" "), 64*mib))
	plain("a label set in a form", "PUT", "/api/v1/projects/{project}/classes", kind, string(body), 413)
	plain("classes", "PATCH", "/api/v1/projects/{project}", "application/json", `{"classes":`+many("{}", 4*mib-100)+`}`, 422)
	plain("classes to start from", "PATCH", "/api/v1/projects/{project}", "application/json", `{"base":`+many(`{"id":1}`, 4*mib-100)+`}`, 422)
	plain("classes of a label set", "PUT", "/api/v1/projects/{project}/classes", "application/json", many("{}", mib-100), 422)
	plain("a choice of images", "POST", "/api/v1/projects/{project}/exports", "application/json", `{"format":"coco","options":{"images":`+many(`""`, 4*mib-100)+`}}`, 422, 404)
	upload("labelme shapes", imports, "a.zip", zipped(tb, "a.json", []byte(`{"noise":"`+noise+`","imageWidth":9,"imageHeight":9,"shapes":`+many("{}", list)+`}`)), 200)
	upload("labelme photographs", imports, "a.json", []byte(`{"imageWidth":9,"imageHeight":9,"shapes":[],"imageData":"`+strings.Repeat("A", 100*mib)+`"}`), 200, 415)
	upload("labelme corners", imports, "a.json", []byte(`{"imageWidth":9,"imageHeight":9,"shapes":[{"label":"x","points":`+many("[1,1]", 7*mib)+`}]}`), 200)
	annotations := strings.Replace(many("{}", list), "{}", `{"segmentation":[]}`, 1) // without any it would not be COCO's instances
	upload("COCO annotations of nothing", imports, "a.zip", zipped(tb, "a.json", []byte(`{"noise":"`+noise+`","images":[],"categories":[],"annotations":`+annotations+`}`)), 200)
	upload("COCO images", imports, "a.json", []byte(`{"annotations":[],"categories":[],"images":`+many(`{"id":%d}`, 32*mib)+`}`), 413)
	upload("COCO annotations of one image", imports, "a.json", []byte(`{"images":[{"id":0,"file_name":"`+large+`","width":8000,"height":5000}],"categories":[{"id":0,"name":"x"}],"annotations":`+annotations+`}`), 200)
	upload("COCO outlines", imports, "a.json", []byte(`{"images":[{"id":1,"file_name":"`+large+`","width":8000,"height":5000}],"categories":[{"id":1,"name":"x"}],"annotations":[{"image_id":1,"category_id":1,"segmentation":[`+
		many("1", 7*mib)+`]}]}`), 200)
	studio := func(what, result string) {
		upload("Label Studio's "+what, imports, "a.json", []byte(`[{"data":{"image":"`+large+`"},"annotations":[{"result":`+result+`}]}]`), 200)
	}
	studio("regions", many(`{"value":{"x":1,"labels":["x"]}}`, 4*list))
	studio("brush", `[{"original_width":8000,"original_height":5000,"value":{"labels":["x"],"rle":`+many("255", 4*list)+`}}]`)
	cvat := func(what, elements string, want ...int) {
		upload("CVAT "+what, imports, "a.xml", []byte("<annotations>"+elements+"</annotations>"), want...)
	}
	cvat("elements", strings.Repeat("<a>", list/3), 422)
	cvat("attributes", "<image "+strings.Repeat(`a="" `, 7*mib/5)+"/>", 413)
	cvat("images", strings.Repeat("<image/>", 4*list/8), 413)
	cvat("shapes of one image", `<image name="`+large+`" width="8000" height="5000">`+strings.Repeat(`<box a="" b=""/>`, 4*list/16)+"</image>", 200)
	cvat("runs", `<image name="`+large+`" width="8000" height="5000"><mask label="x" left="0" top="0" width="8000" height="5000" rle="1`+strings.Repeat(",1", mib-100)+`"/></image>`, 200)
	all[len(all)-1].most = 450
	corners, boxes := []byte("0"), []byte(nil)
	for x := uint32(1); len(corners) < 7*mib; x = x*1664525 + 1013904223 {
		corners, boxes = fmt.Appendf(corners, " .%d", x), fmt.Appendf(boxes, "0 .%d 1 1 1\n", x>>24)
	}
	for what, text := range map[string][]byte{"corners": corners, "boxes": boxes} {
		name := "labels/" + strings.TrimSuffix(large, filepath.Ext(large)) + ".txt"
		upload("YOLO "+what, imports, "a.zip", zippedAll(tb, fstest.MapFS{"data.yaml": {Data: []byte("names: [x]")}, name: {Data: text}}), 200)
	}
	upload("a backup of no images", "/api/v1/imports", "a.zip", zipped(tb, "backup.json", []byte(`{"noise":"`+noise+`","kind":"collie-backup","version":1,"project":{"name":"x"},"images":`+many("{}", list)+`}`)), 413)
	upload("a backup of deleted classes", "/api/v1/imports", "a.zip", zipped(tb, "backup.json", []byte(`{"noise":"`+noise+`","kind":"collie-backup","version":1,"project":{"name":"x","deleted":`+many("{}", list)+`}}`)), 413)

	size := image.Rect(0, 0, 8000, 5000)
	ragged := image.NewPaletted(size, palette.Plan9)
	for i := range ragged.Pix {
		ragged.Pix[i] = uint8(i & 1)
	}
	mask := pngOf(tb, ragged)
	stem := strings.TrimSuffix(large, filepath.Ext(large))
	body, kind = formOf(tb, slices.Repeat([]string{stem + ".png"}, 4), mask)
	all = append(all, glutton{name: "four ragged masks", method: "POST", path: imports, kind: kind, body: body, want: []int{200}})
	coloured := image.NewNRGBA(size)
	for i := range coloured.Pix {
		coloured.Pix[i] = 255 * uint8(i>>2&1|i&3/3)
	}
	upload("a mask of colours", imports, stem+".png", pngOf(tb, coloured), 200)
	upload("a mask of 16 bits", imports, stem+".png", pngOf(tb, image.NewNRGBA64(image.Rect(0, 0, 8000, 5000))), 415)

	chequered, noise16 := make([]uint32, 8000*5000), make([]uint16, 8000*5000)
	objects := image.NewGray16(size)
	for i, x := 0, uint32(1); i < len(chequered); i++ {
		x = x*1664525 + 1013904223
		chequered[i], noise16[i] = uint32(1+(i+i/8000)&1+i/100_000*2), uint16(x>>16)
		objects.Pix[2*i], objects.Pix[2*i+1] = uint8(chequered[i]>>8), uint8(chequered[i])
	}
	upload("a label image", imports+"?numbers=objects", stem+".tif", phototest.Numbers(8000, chequered), 200)
	upload("a label image of noise", imports+"?numbers=objects", stem+".tif", phototest.Numbers(8000, noise16), 200)
	for i := range ragged.Pix {
		ragged.Pix[i] = 1
	}
	var voc bytes.Buffer
	z := zip.NewWriter(&voc)
	for folder, img := range map[string]image.Image{"SegmentationClass": ragged, "SegmentationObject": objects} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/" + stem + ".png"})
		if err == nil {
			_, err = w.Write(pngOf(tb, img))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	upload("objects of PASCAL VOC", imports, "a.zip", voc.Bytes(), 200)
	for i := range 3 {
		all[len(all)-1-i].most = 450
	}

	var scores bytes.Buffer
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': (5000, 8000, 1), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	fmt.Fprintf(&scores, "\x93NUMPY\x01\x00%c%c%s", len(header), 0, header)
	values := bytes.Repeat([]byte(ballast(100_000)), 400)
	scores.Write(values)
	upload("scores", imports, stem+".npz", zipped(tb, "scores.npy", scores.Bytes()), 200)
	return all
}

// ask makes a glutton's request and returns the status.
func (p *process) ask(g glutton, project string) (int, string, error) {
	r, err := http.NewRequest(g.method, p.url+strings.ReplaceAll(g.path, "{project}", project), bytes.NewReader(g.body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", g.kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err // the connection is closed on who goes on sending
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, fmt.Sprintf("%.300s", b), err
}

// large is the name of the larder's image.
const large = "large.png"

// larder is a data folder with a project that has an image of 40 megapixels.
func larder(tb testing.TB) (data, project string) {
	tb.Helper()
	data = tb.TempDir()
	p := start(tb, data)
	images := p.project()
	project = strings.TrimSuffix(images[strings.Index(images, "/projects/")+len("/projects/"):], "/images")
	stripes := image.NewGray(image.Rect(0, 0, 8000, 5000))
	for i := range stripes.Pix {
		stripes.Pix[i] = uint8(i % 8000 / 400 * 12)
	}
	if status, body, err := upload(images, large, pngOf(tb, stripes)); err != nil || status != 201 {
		tb.Fatalf("%d %v %s", status, err, body)
	}
	p.stop()
	return data, project
}

// TestAppetite: requests that try to take memory get little of it, each at most
// 300 MiB above the idle server, and 450 where pixels have numbers of objects.
func TestAppetite(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: starts a server per request")
	}
	measuresMemory(t)
	data, project := larder(t)
	p := start(t, data)
	idle := peakMemory(t, p.cmd.Process.Pid)
	p.stop()
	all := gluttons(t)
	for _, g := range all {
		t.Run(g.name, func(t *testing.T) {
			p := start(t, data)
			status, body, err := p.ask(g, project)
			if err != nil && !slices.Contains(g.want, 413) || err == nil && !slices.Contains(g.want, status) {
				t.Errorf("%d %v, want %v: %s", status, err, g.want, body)
			}
			above := (peakMemory(t, p.cmd.Process.Pid) - idle) >> 20
			t.Logf("%.1f MiB sent: %d, %d MiB above idle", float64(len(g.body))/(1<<20), status, above)
			if most := cmp.Or(g.most, 300); above > most {
				t.Errorf("the memory rose by %d MiB, want at most %d", above, most)
			}
			p.unharmed()
		})
	}
	t.Run("16 at once", func(t *testing.T) { feast(t, data, project, all) })
}

// feast: 16 such requests at once, mixed with the bombs of the corpus, take at most
// 1 GiB.
func feast(t *testing.T, data, project string, all []glutton) {
	dir := sharedtest.Path(t, "corpus/bombs")
	p := start(t, data)
	queue := make(chan func())
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for do := range queue {
				do()
			}
		})
	}
	every := storagetest.Rounds(2, 1) // each has been sent alone
	for i, g := range all {
		if i%every > 0 {
			continue
		}
		queue <- func() {
			status, body, err := p.ask(g, project)
			// On a busy machine a request may be refused, or be given up while it arrives.
			busy := status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
			if err == nil && !busy && !slices.Contains(g.want, status) {
				t.Errorf("%s: %d: %s", g.name, status, body)
			}
		}
	}
	for name := range bombs {
		queue <- func() {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Error(err)
				return
			}
			status, body, err := upload(p.url+"/api/v1/projects/"+project+"/images", name, content)
			if err == nil && status != 429 && status != bombs[name] {
				t.Errorf("%s: %d: %.300s", name, status, body)
			}
		}
	}
	close(queue)
	senders.Wait()
	peak := peakMemory(t, p.cmd.Process.Pid) >> 20
	t.Logf("16 requests at once: peak %d MiB", peak)
	if peak > 1024 {
		t.Errorf("the server's memory reached %d MiB, want at most 1024", peak)
	}
	p.unharmed()
}

// The environment's limit of memory counts, and the server says it.
func TestMemoryLimitOfEnvironment(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0") // so that the server ends by itself
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cmd := exec.Command(binary, "--data", filepath.Join(t.TempDir(), "data"), "--listen", taken.Addr().String())
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=123MiB")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `memory limit"=123MiB`) {
		t.Errorf("with GOMEMLIMIT: %v %s", err, out)
	}
}
