package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// transfer is a script that makes a DataTransfer with small pictures, the first of
// them with a number.
func transfer(number int, names ...string) string {
	pictures := make([]string, len(names))
	for i := range names {
		pictures[i] = base64.StdEncoding.EncodeToString(tinyPicture(number + i))
	}
	return fmt.Sprintf(`((transfer) => {
		%q.split('|').forEach((name, i) => transfer.items.add(new File([Uint8Array.from(atob(%q.split('|')[i]), (c) => c.charCodeAt(0))], name, { type: 'image/png' })));
		return transfer;
	})(new DataTransfer())`, strings.Join(names, "|"), strings.Join(pictures, "|"))
}

// dropped lets a person drop small pictures on an element of the page.
func (p *page) dropped(on string, names ...string) {
	p.t.Helper()
	value[bool](p, fmt.Sprintf(`(() => {
		const dataTransfer = %s;
		for (const type of ['dragenter', 'dragover', 'drop']) document.querySelector(%q).dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
		return true;
	})()`, transfer(1, names...), on))
}

// TestE2EDropOnImport drops files on the page of a project: while the import
// dialog is open they go there, while another dialog is open they are ignored, and
// otherwise they are images. A busy server is asked again.
func TestE2EDropOnImport(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, true, address)
	p.emptyProject(address, "")
	p.dropped("body", ".DS_Store")
	p.until(`document.getElementById('toasts').textContent.includes('The folder holds no files.')`)
	p.clickOn("opening the import", "#import")
	p.until(`document.getElementById('import-dialog').open`)
	const chosen = `[...document.getElementById('import-files').files].map((f) => f.name).join()`
	p.dropped("#import-title", "one.png")
	p.dropped("#import-dialog", "two.png", "three.png")
	p.until(chosen + ` === 'one.png,two.png,three.png'`)
	if said := value[string](p, `document.getElementById('import-state').textContent`); said != "3 files ready for review." {
		t.Errorf("the dialog says %q", said)
	}
	p.screenshot("dropped")
	uploads := func() bool { return value[bool](p, `!document.getElementById('uploads').hidden`) }
	if uploads() {
		t.Error("what was dropped on the dialog is uploaded")
	}

	value[bool](p, `(() => {
		const send = XMLHttpRequest.prototype.send;
		let busy = 1;
		XMLHttpRequest.prototype.send = function (body) {
			if (busy-- > 0) Object.defineProperty(this, 'status', { get: () => 429 });
			return send.call(this, body);
		};
		return true;
	})()`)
	p.clickOn("reviewing", "#import-start")
	p.until(`/Trying again in 1\s/.test(document.getElementById('import-state').textContent)`)
	p.until(`!document.getElementById('import-remarks').hidden`)
	if said := value[string](p, `document.getElementById('import-state').textContent + document.getElementById('import-remarks').textContent`); !strings.HasPrefix(said, "0 masks can be imported, 3 can’t.") || strings.Contains(said, "429") {
		t.Errorf("the dialog reports %q", said)
	}
	if left := value[string](p, chosen); left != "one.png,two.png,three.png" || uploads() || !value[bool](p, `document.getElementById('import-start').disabled && document.activeElement.id === 'import-back'`) {
		t.Errorf("after the review %q are chosen; uploads: %t", left, uploads())
	}
	p.press(kb.Escape)

	p.clickOn("opening the export", "#export")
	p.until(`document.getElementById('export-dialog').open`)
	p.dropped("#export-dialog", "nobody.png")
	p.press(kb.Escape)
	p.dropped("#main", "picture.png")
	p.until(cardCount + " === 1")
	if name := value[string](p, `document.querySelector('#images .card-name').textContent`); name != "picture.png" {
		t.Errorf("the image is called %q", name)
	}
}

// TestE2EDropOnImage: a file that is dropped or pasted on an open image leaves it open.
func TestE2EDropOnImage(t *testing.T) {
	t.Parallel()
	p := openSample(t, 1280, 720, true)
	picture := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(picture, tinyPicture(1), 0o644); err != nil {
		t.Fatal(err)
	}
	x, y := p.onScreen(image.Pt(400, 300))
	p.do("dropping a file", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := chromedp.Call(ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: x, Y: y, Data: &input.DragData{Files: []string{picture}, Items: []*input.DragDataItem{}, DragOperationsMask: 1},
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	said := `/^Files can’t be added here/.test(document.querySelector('.toast')?.textContent.trim())`
	p.until(said)
	value[bool](p, `(document.getElementById('toasts').replaceChildren(), true)`)
	if !p.pasted("body", 1, "image.png") {
		t.Error("a pasted picture is ignored")
	}
	p.until(said)
	address := value[string](p, `location.origin`)
	for _, path := range []string{"/trash", "/images/none"} {
		p.do("to another page", chromedp.Navigate(address+path))
		p.until(`document.readyState === 'complete' && document.getElementById('app') === null`)
		p.dropped("#main", "picture.png")
		p.until(said)
	}
}
