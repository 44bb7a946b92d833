package e2e

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"collie/segment/photo/phototest"
)

// TestE2EImportUndone takes an import back from the dialog, also after it was closed: labels
// that it replaced are there again. An image that was changed since stays as it is.
func TestE2EImportUndone(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	p := openPage(t, 1280, 720, false, address)
	from, picture := labelledSample(p)
	before := sampleMask(t, address, picture)
	other := image.NewPaletted(before.Bounds(), before.ColorModel().(color.Palette)) // all background
	mask := p.maskFile(".png", phototest.MustPNG(t, other))
	p.chooseMasks(address+"/projects/"+from, mask)
	imported := func() {
		t.Helper()
		p.clickOn("reviewing", "#import-start")
		p.until(`document.getElementById('import-start').textContent === 'Import 1 mask'`)
		value[bool](p, `[...document.querySelectorAll('#import-values select')].every((choice) => { choice.value = '0'; return choice.dispatchEvent(new Event('change')); })`)
		p.clickOn("importing", "#import-start")
		p.until(`document.getElementById('import-state').textContent.startsWith('1 mask imported.')`)
		if n := differences(other, sampleMask(t, address, picture)); n > 0 {
			t.Fatalf("%d pixels differ from the mask", n)
		}
	}
	imported()
	p.screenshot("report")
	p.clickOn("closing", "#import-dialog [data-close]")
	p.clickOn("opening it again", "#import")
	p.clickOn("undoing", "#import-undo")
	p.until(`document.getElementById('import-state').textContent === 'Undone on 1 image.' && document.getElementById('import-undo').hidden`)
	p.screenshot("undone")
	if n := differences(before, sampleMask(t, address, picture)); n > 0 {
		t.Errorf("%d pixels differ after undo", n)
	}
	p.choose("#import-files", mask)
	imported()
	post(t, address+"/api/v1/images/"+picture+"/evidence", `{"id":"later","kind":"label","class":1,"points":[[5,5]],"expected_seq":7}`)
	after := sampleMask(t, address, picture)
	p.clickOn("undoing", "#import-undo")
	p.until(`document.getElementById('import-state').textContent === 'Not undone on 1 image.'`)
	p.screenshot("kept")
	if lines := value[string](p, `document.getElementById('import-remarks').textContent`); !strings.HasSuffix(lines, ": not undone. It has been changed since.") {
		t.Errorf("the dialog remarks %q", lines)
	}
	if n := differences(after, sampleMask(t, address, picture)); n > 0 {
		t.Errorf("%d pixels differ after an undo that was refused", n)
	}
}
