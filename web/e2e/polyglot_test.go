package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"collie/sharedtest"
)

// payload is the script in the polyglots: it notifies the embedding page and its
// own tab.
const payload = `document.title='ran';parent.postMessage('ran','*');window.ran=true`

// polyglots are images that are pages or scripts as well.
func polyglots(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{
		// A GIF on a canvas of 10,799 × 1, because the bytes of its width begin
		// a comment that ends behind the pixels.
		"script.gif": []byte("GIF89a/*\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;*/=1;" + payload),
	}
	for name, corpus := range map[string]string{"page.png": "polyglot_png_html.png", "page.gif": "polyglot_gif_js.gif"} {
		b, err := os.ReadFile(sharedtest.Path(t, "corpus/bombs/"+corpus))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = bytes.Replace(b, []byte("alert(1)"), []byte(payload), 1)
		if bytes.Equal(files[name], b) {
			t.Fatalf("no script in %s", corpus)
		}
	}
	return files
}

// TestE2EPolyglots opens images that are pages or scripts as well in every way a
// site can: nothing in them runs.
func TestE2EPolyglots(t *testing.T) {
	t.Parallel()
	files := polyglots(t)
	collie := startServer(t)
	var project struct {
		ID string `json:"id"`
	}
	call(t, collie+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Polyglots"}`), &project)

	// Another site, which embeds what its query names, and serves the files
	// themselves with types that let their scripts run.
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b, ok := files[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			w.Header().Set("Content-Type", r.FormValue("type"))
			_, _ = w.Write(b)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>other</title><script>onmessage = () => { window.ran = true }; onerror = () => true /* most are no script */</script>
			<iframe src="%[1]s"></iframe><embed src="%[1]s"><object data="%[1]s"></object><script src="%[1]s"></script>`, r.FormValue("url"))
	}))
	defer other.Close()
	p := openPage(t, 800, 600, false, collie)
	ran := func() bool {
		time.Sleep(250 * time.Millisecond) // scripts ran within a few when they could
		return value[bool](p, `window.ran === true || document.title === 'ran'`)
	}
	// open goes to an address; that a file is saved instead of shown is an
	// error to the protocol of the browser.
	open := func(address string) {
		if err := chromedp.Do(p.ctx, chromedp.Navigate(address)); err != nil && !strings.Contains(err.Error(), "ERR_ABORTED") {
			t.Fatalf("opening %s: %v", address, err)
		}
	}
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			kind := map[bool]string{true: "text/javascript", false: "text/html"}[name == "script.gif"]
			open(other.URL + "/?url=/" + name + "?type=" + kind)
			if !ran() {
				t.Errorf("as %s its script does not run, so that this test proves nothing", kind)
			}

			image := uploadNamed(t, collie, project.ID, []string{name}, [][]byte{content})[0]
			for _, part := range []string{"original", "display"} {
				address := collie + "/api/v1/images/" + image + "/" + part
				open(other.URL + "/?url=" + address)
				if ran() {
					t.Errorf("%s ran in another site's page", part)
				}
				open(collie)
				open(address)
				if ran() {
					t.Errorf("%s ran in a tab of its own", part)
				}
				open(collie)
				p.do("embedding the file", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
					addEventListener('message', () => { window.ran = true });
					for (const [tag, attribute] of [['iframe', 'src'], ['embed', 'src'], ['object', 'data'], ['script', 'src']]) {
						const e = document.createElement(tag);
						e[attribute] = %q;
						document.body.append(e);
					}
				})()`, address)))
				if ran() {
					t.Errorf("%s ran in a page of Collie's", part)
				}
			}
		})
	}
}

// call posts a body and decodes the answer, which must be 201.
func call(t *testing.T, url, kind string, body io.Reader, into any) {
	t.Helper()
	resp, err := http.Post(url, kind, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("%s: %s", url, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
