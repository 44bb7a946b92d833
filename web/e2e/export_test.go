package e2e

import (
	"archive/zip"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// downloadedZip waits for an archive among the downloads.
func (p *page) downloadedZip() *zip.ReadCloser {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(p.downloads, "*.zip"))
		if err != nil {
			p.t.Fatal(err)
		}
		if len(files) != 1 {
			continue
		}
		if z, err := zip.OpenReader(files[0]); err == nil {
			p.t.Cleanup(func() { z.Close() })
			return z
		}
	}
	p.failed()
	p.t.Fatal("no archive was downloaded")
	return nil
}

// chooseFormat chooses a format in the open dialog.
func (p *page) chooseFormat(name string) {
	p.t.Helper()
	p.do("choosing a format", chromedp.Evaluate[chromedp.Void](`{
		const format = document.getElementById('export-format');
		format.value = '`+name+`';
		format.dispatchEvent(new Event('change', {bubbles: true}));
	}`))
}

// exportCOCO starts the export of COCO in the open dialog.
func (p *page) exportCOCO() {
	p.t.Helper()
	p.chooseFormat("coco")
	p.do("going to the button", chromedp.Evaluate[chromedp.Void](`document.getElementById('export-default').focus()`))
	p.press(enter)
}

// TestE2EExport exports the image that is open, then the project, with the
// keyboard alone, and finds in the file what the dialog reports.
func TestE2EExport(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, false, startServer(t))
	p.trySample()
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)

	// The format is above what to export, which is above the options.
	for range 20 {
		if value[string](p, `document.activeElement.id`) == "export-format" {
			break
		}
		p.press(kb.Tab, kb.ModifierShift)
	}
	if on := value[string](p, `document.activeElement.id`); on != "export-format" {
		t.Fatalf("Shift+Tab does not lead to the format but to %q", on)
	}
	p.press("N") // NumPy
	p.until(`document.getElementById('export-format').value === 'numpy'`)
	if !value[bool](p, `document.querySelector('[data-option="objects"]').hidden && !document.querySelector('[data-option="hypotheses"]').hidden`) {
		t.Error("the options are not those of the format")
	}
	p.chooseFormat("backup")
	if value[bool](p, `document.querySelector('.export-options').checkVisibility()`) {
		t.Error("a backup, which always has everything, is offered with options")
	}
	p.exportCOCO()
	p.until(`!document.getElementById('export-file').hidden && document.querySelector('.export-options').checkVisibility()`)
	p.screenshot("done")
	if said := value[string](p, `document.getElementById('export-state').textContent`); !strings.Contains(said, "1 image, nothing labelled") {
		t.Errorf("the dialog reports %q", said)
	}
	z := p.downloadedZip()
	f, err := z.Open("annotations/instances_default.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var doc struct {
		Images     []any `json:"images"`
		Categories []any `json:"categories"`
	}
	if err := json.NewDecoder(f).Decode(&doc); err != nil || len(doc.Images) != 1 || len(doc.Categories) < 5 {
		t.Errorf("%+v, %v", doc, err)
	}
	p.press(kb.Escape)
	p.until(`!document.getElementById('export-dialog').open`)
}

// TestE2EExportProject exports from the page of a project, where nothing is open.
func TestE2EExportProject(t *testing.T) {
	t.Parallel()
	p := openPage(t, 1280, 720, true, startServer(t))
	p.trySample()
	p.clickOn("going to the project", `a[href^="/projects/"]`)
	p.until(`location.pathname.startsWith('/projects/') && document.readyState === 'complete'`)
	p.press("e", ctrl)
	p.until(`document.getElementById('export-dialog').open`)
	p.screenshot("open")
	p.do("leaving drafts out", chromedp.Evaluate[chromedp.Void](`document.querySelector('[name=drafts]').click()`))
	p.press(enter)
	p.until(`!document.getElementById('export-losses').hidden`)
	if said := value[string](p, `document.getElementById('export-losses').textContent`); !strings.Contains(said, "skipped. It is unfinished") {
		t.Errorf("the dialog reports %q", said)
	}
	p.screenshot("report")
	var names []string
	for _, f := range p.downloadedZip().File {
		names = append(names, f.Name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"labelmap.txt", "manifest.json"}) {
		t.Errorf("the archive has %q, want what it has without images", names)
	}
}

// TestE2ECancelExport cancels a long export; the server keeps nothing of it, and
// the next export works.
func TestE2ECancelExport(t *testing.T) {
	t.Parallel()
	p := openPage(t, 390, 844, true, startServer(t))
	p.trySample()
	value[bool](p, `(() => {
		const original = window.fetch;
		window.slow = true;
		window.asked = [];
		window.fetch = async (path, options) => {
			const answer = await original(path, options);
			if (!path.startsWith('/api/v1/exports/')) return answer;
			window.asked.push([options?.method, path].join(' '));
			return window.slow && options?.method === 'GET' ? new Response(JSON.stringify({ status: 'running', images_done: 1, images_total: 3 })) : answer;
		};
		return true;
	})()`)
	p.clickOn("opening the export", "#export")
	p.until(`document.getElementById('export-dialog').open`)
	p.exportCOCO()
	p.until(`document.getElementById('export-cancel').checkVisibility() && document.getElementById('export-state').textContent === '1 of 3 images'`)
	p.screenshot("running")
	if hidden := value[[]string](p, `(`+outside+`).filter((id) => document.getElementById(id)?.closest('dialog'))`); len(hidden) > 0 {
		t.Errorf("out of reach are %q", hidden)
	}
	for range 20 {
		if value[string](p, `document.activeElement.id`) == "export-cancel" {
			break
		}
		p.press(kb.Tab, kb.ModifierShift)
	}
	p.press(enter)
	p.until(`document.getElementById('export-state').textContent === 'Export cancelled' && !document.getElementById('export-cancel').checkVisibility()`)
	p.screenshot("cancelled")
	if on := value[string](p, `document.activeElement.id`); on != "export-default" {
		t.Errorf("after cancelling %q has the focus", on)
	}
	if last := value[string](p, `window.asked.at(-1)`); !strings.HasPrefix(last, "DELETE ") {
		t.Errorf("the last call is %q", last)
	}
	if status := value[int](p, `fetch(window.asked.at(-1).split(' ')[1]).then((r) => r.status)`); status != 404 {
		t.Errorf("the export that was cancelled answers %d", status)
	}
	value[bool](p, `!(window.slow = false)`)
	p.press(enter)
	p.until(`!document.getElementById('export-file').hidden`)
	p.downloadedZip()
}
