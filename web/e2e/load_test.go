package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"

	"collie/sharedtest"
)

var against = flag.String("against", "", "a server program that TestE2ESpeedOpen measures in turn with the current one")

// loadedFiles is an expression for the files of static that the document has
// fetched, with the bytes transferred for each.
const loadedFiles = `performance.getEntriesByType('resource').map((e) => ({Path: new URL(e.name).pathname, Bytes: e.transferSize})).filter(({Path}) => Path.startsWith('/static/'))`

type loadedFile struct {
	Path  string
	Bytes int
}

// TestE2ELoading: a page loads one module and one style sheet; the start page has fetched
// those of the annotation page ahead. The picture and the superpixels don't wait for the
// module.
func TestE2ELoading(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, startServer(t))
	p.until(`['annotate.css', 'annotate.js'].every((name) => performance.getEntriesByType('resource').some((e) => e.name.endsWith(name) && e.responseEnd > 0))`)
	p.do("taking the sample", chromedp.Click(chromedp.CSS("#sample")))
	const ready = `document.getElementById("save")?.dataset.state === "saved"`
	p.until(ready)
	want := []string{"annotate.css", "annotate.js", "early.js"}
	var names []string
	bytes := 0
	for _, f := range value[[]loadedFile](p, loadedFiles) {
		if name := path.Base(f.Path); name != "favicon.svg" {
			names = append(names, name)
			bytes += f.Bytes
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, want) || bytes > 0 {
		t.Errorf("the page has %q and has asked for %d bytes, want %q and none", names, bytes, want)
	}
	early := value[[]string](p, `performance.getEntriesByType('resource').filter((e) => /display$|superpixels.bin.of=whole$/.test(e.name)).map((e) => e.initiatorType).sort()`)
	if !slices.Equal(early, []string{"link", "link"}) {
		t.Errorf("the picture and the superpixels are asked for by %q, want once each by the page itself", early)
	}
}

// TestE2EFetchedAhead: the picture and the superpixels of the next image are fetched before
// it is opened, and then only the superpixels are asked about.
func TestE2EFetchedAhead(t *testing.T) {
	t.Parallel()
	p, images := openFields(t)
	fetched := func() map[string]int {
		found := map[string]int{}
		for _, f := range value[[]loadedFile](p, `performance.getEntriesByType('resource').filter((e) => e.responseEnd > 0).map((e) => ({Path: new URL(e.name).pathname, Bytes: e.transferSize}))`) {
			if of, part := path.Split(f.Path); of == "/api/v1/images/"+images[1]+"/" {
				found[part] += f.Bytes
			}
		}
		return found
	}
	p.until(fmt.Sprintf(`performance.getEntriesByType('resource').some((e) => e.responseEnd > 0 && e.name.endsWith('/%s/superpixels.bin?of=whole'))`, images[1]))
	ahead := fetched()
	p.press("d")
	p.until(`location.pathname === '/images/` + images[1] + `' && document.getElementById('save')?.dataset.state === 'saved'`)
	const headers = 500 // bytes, at most
	if now := fetched(); now["display"] > 0 || now["superpixels.bin"] > headers || ahead["display"] < headers || ahead["superpixels.bin"] < headers {
		t.Errorf("ahead the browser has fetched %v bytes, then %v, want no picture again", ahead, now)
	}
}

// interactive notes when the annotation page takes its first click: the milliseconds
// since the navigation began.
const interactive = `addEventListener('DOMContentLoaded', () => {
	const loading = document.getElementById('loading');
	if (!loading) return;
	const note = () => { if (loading.hidden) window.interactive ??= performance.now(); };
	new MutationObserver(note).observe(loading, {attributes: true});
	note();
});`

// TestE2ESpeedOpen: from the navigation to the annotation page until it takes
// clicks, with an empty cache and with a full one, directly and through a proxy
// that delays each direction by half of the latency.
func TestE2ESpeedOpen(t *testing.T) {
	onlyWhenMeasuring(t)
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	builds := map[string]string{"now": program}
	if *against != "" {
		builds["against"] = *against
	}
	zerolog.SetGlobalLevel(zerolog.Disabled) // the proxy has much to say
	proxies := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	const latency = 40 // milliseconds there and back
	opened, addresses := map[string]*page{}, map[string]string{}
	for name, program := range builds {
		direct := serveProgram(t, program, t.TempDir())
		p := openPage(t, 1280, 720, false, direct)
		p.drop(sharedtest.Path(t, "data/voc/images/2009_002221.jpg"))
		p.until(`document.getElementById("save")?.dataset.state === "saved"`)
		path := value[string](p, `location.pathname`)
		slow := toxiproxy.NewProxy(proxies, name, "127.0.0.1:0", strings.TrimPrefix(direct, "http://"))
		for _, stream := range []string{"upstream", "downstream"} {
			if _, err := slow.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(`{"type":"latency","stream":%q,"attributes":{"latency":%d}}`, stream, latency/2))); err != nil {
				t.Fatal(err)
			}
		}
		if err := slow.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(slow.Stop)
		p.do("watching", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: interactive})
			return err
		}))
		opened[name], addresses[name+", loopback"] = p, direct+path
		addresses[fmt.Sprintf("%s, %d ms", name, latency)] = "http://" + slow.Listen + path
	}
	const rounds = 15
	times := map[string][]float64{}
	for range rounds {
		for label, address := range addresses {
			name, _, _ := strings.Cut(label, ",")
			p := opened[name]
			p.do("emptying the cache", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, network.ClearBrowserCache, cdp.Empty{})
				return err
			}))
			for _, cache := range []string{"empty", "full"} {
				p.do("leaving", chromedp.Navigate("about:blank"))
				p.do("opening", chromedp.Navigate(address))
				p.until(`window.interactive > 0 && document.getElementById("save").dataset.state === "saved"`)
				key := label + ", " + cache + " cache"
				times[key] = append(times[key], value[float64](p, `window.interactive`))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(times)) {
		t.Logf("%s: %v", key, spreadOf(times[key]))
	}
}

// TestE2EOpenAgain: an image that could not be opened is opened with another try.
func TestE2EOpenAgain(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(startServer(t))
	if err != nil {
		t.Fatal(err)
	}
	server := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	var refused atomic.Bool
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/superpixels.bin") && refused.CompareAndSwap(false, true) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	var project struct{ Images []struct{ ID string } }
	call(t, to.String()+"/api/v1/sample", "application/json", nil, &project)
	p := openPage(t, 390, 844, false, front.URL+"/images/"+project.Images[0].ID)
	p.clickOn("trying again", "#loading-again")
	p.until(`document.readyState === 'complete' && document.getElementById('loading').hidden`)
}

// TestE2EBrokenAnswers: an image whose picture or superpixels break off is asked for again
// until it is there.
func TestE2EBrokenAnswers(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(startServer(t))
	if err != nil {
		t.Fatal(err)
	}
	server := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	var broken sync.Map
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := path.Base(r.URL.Path)
		if _, again := broken.LoadOrStore(part, true); !again && (part == "display" || part == "superpixels.bin") {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(make([]byte, 100))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	var project struct{ Images []struct{ ID string } }
	call(t, to.String()+"/api/v1/sample", "application/json", nil, &project)
	p := openPage(t, 390, 844, false, front.URL+"/images/"+project.Images[0].ID)
	p.until(`document.readyState === 'complete' && document.getElementById('loading').hidden`)
	for _, part := range []string{"display", "superpixels.bin"} {
		if _, was := broken.Load(part); !was {
			t.Errorf("%s was not asked for", part)
		}
	}
}

// TestE2EGoingOn: while the next image is long in coming, the page says so, for the eye
// and for screen readers.
func TestE2EGoingOn(t *testing.T) {
	t.Parallel()
	to, err := url.Parse(startServer(t))
	if err != nil {
		t.Fatal(err)
	}
	server := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // for the socket, which only the server's own pages can open
	}}
	var project struct{ ID string }
	call(t, to.String()+"/api/v1/projects", "application/json", strings.NewReader(`{"name":"Far away"}`), &project)
	file := picture(t, 300, 200)
	images := uploadTo(t, to.String(), project.ID, [][]byte{file, file})
	told := make(chan string, 1) // what the page says lets the second image come
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/told":
			told <- r.URL.Query().Get("text")
			return
		case "/images/" + images[1]:
			select {
			case text := <-told:
				if text != "Opening the image" {
					t.Errorf("the page says %q", text)
				}
			case <-r.Context().Done():
				return
			}
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p := openPage(t, 1280, 720, false, front.URL+"/images/"+images[0])
	const saved = `document.readyState === 'complete' && document.getElementById("save")?.dataset.state === "saved"`
	for _, leave := range []func(){func() { p.press("d") }, func() { p.clickOn("next", "#next") }} {
		p.until(saved + ` && document.getElementById('place-shown').textContent === '1 / 2'`)
		if value[bool](p, `document.getElementById('leaving').checkVisibility()`) {
			t.Error("the page says that it opens an image when nobody has asked")
		}
		value[bool](p, `(() => {
			const [hint, announcer] = ['leaving', 'announcer'].map((id) => document.getElementById(id));
			new MutationObserver(() => hint.checkVisibility() && fetch('/told?text=' + announcer.textContent)).observe(announcer, {childList: true});
			return true;
		})()`)
		leave()
		p.until(saved + ` && document.getElementById('place-shown').textContent === '2 / 2'`)
		p.press("a")
	}
}
