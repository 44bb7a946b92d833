package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"collie/segment/learn"
)

// post sends a body, and decodes the answer, which must be good.
func (p *process) post(path, kind string, body []byte, into any) {
	p.tb.Helper()
	resp, err := http.Post(p.url+path, kind, bytes.NewReader(body))
	if err != nil {
		p.tb.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		p.tb.Fatalf("%s: %d %v %s", path, resp.StatusCode, err, b)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(b, into); err != nil {
		p.tb.Fatal(err)
	}
}

// fields makes a project of pictures of sky above grass, one more than learning
// needs, and finishes all but the last.
func (p *process) fields() (project string, images []string) {
	p.tb.Helper()
	var made struct{ ID string }
	p.post("/api/v1/projects", "application/json", []byte(`{"name":"Fields","classes":[{"name":"sky"},{"name":"grass"}],"rest":"nothing"}`), &made)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	const width, height = 160, 120
	horizon := func(i int) int { return 45 + 7*i }
	for i := range learn.FewestExamples + 1 {
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		for at := range width * height {
			n := uint8(rand.IntN(20))
			c := color.NRGBA{120 + n, 160 + n, 210 + n, 255}
			if at/width >= horizon(i) {
				c = color.NRGBA{60 + n, 120 + n, 45 + n, 255}
			}
			img.SetNRGBA(at%width, at/width, c)
		}
		part, err := form.CreateFormFile("file", fmt.Sprintf("%d.png", i))
		if err == nil {
			err = png.Encode(part, img)
		}
		if err != nil {
			p.tb.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		p.tb.Fatal(err)
	}
	var list []struct{ ID string }
	p.post("/api/v1/projects/"+made.ID+"/images", form.FormDataContentType(), body.Bytes(), &list)
	for i, im := range list {
		images = append(images, im.ID)
		if i == learn.FewestExamples {
			break
		}
		for seq, event := range []string{
			fmt.Sprintf(`"kind":"label","class":0,"points":[[20,10],[140,%d]]`, horizon(i)-10),
			fmt.Sprintf(`"kind":"label","class":1,"points":[[20,110],[140,%d]]`, horizon(i)+10),
			`"kind":"accept","hypothesis":0`,
		} {
			p.post("/api/v1/images/"+im.ID+"/evidence", "application/json", fmt.Appendf(nil, `{"id":"e%d","expected_seq":%d,%s}`, seq, seq, event), nil)
		}
	}
	return made.ID, images
}

// A server that is killed while it learns loses no click, and finishes learning
// soon after a restart.
func TestKilledTraining(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped with -short: injects faults")
	}
	data := t.TempDir()
	for round := range 4 {
		p := start(t, data)
		project, images := p.fields()
		time.Sleep(time.Duration(round) * 150 * time.Millisecond) // the training takes longer than the first of these
		_ = p.cmd.Process.Kill()
		_ = p.wait()

		p = start(t, data)
		var list []struct{ Status string }
		p.call("GET", "/api/v1/projects/"+project+"/images", http.StatusOK, &list)
		done := 0
		for _, im := range list {
			if im.Status == "done" {
				done++
			}
		}
		if done != learn.FewestExamples {
			t.Fatalf("round %d: %d images are done after the kill", round, done)
		}
		var g struct{ Guessed bool }
		for end := time.Now().Add(2 * time.Minute); !g.Guessed && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			p.post("/api/v1/images/"+images[len(images)-1]+"/guess", "application/json", nil, &g)
		}
		if !g.Guessed {
			t.Fatalf("round %d: nothing is guessed after the kill", round)
		}
		p.stop()
	}
	examine(t, data)
}
