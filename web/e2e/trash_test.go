package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestE2ETrash deletes a project on the start page, undoes that, deletes it again
// and restores it from the trash.
func TestE2ETrash(t *testing.T) {
	t.Parallel()
	address := startServer(t)
	for _, name := range []string{"One", "Two"} {
		var project struct{ ID string }
		call(t, address+"/api/v1/projects", "application/json", strings.NewReader(fmt.Sprintf(`{"name":%q}`, name)), &project)
	}
	p := openPage(t, 1280, 720, false, address)
	names := `[...document.querySelectorAll('.card-name')].map((n) => n.textContent).join()`
	discard := `[aria-label="Move One to the trash"]`
	p.until(names + ` === 'Two,One'`)
	p.clickOn("delete", discard)
	p.until(names + ` === 'Two'`)
	p.clickOn("undo", `[data-slot="action"]:not([hidden])`)
	p.until(names + ` === 'Two,One'`)
	p.clickOn("delete again", discard)
	p.until(names + ` === 'Two'`)
	p.clickOn("go to the trash", `.site-header a[href="/trash"]`)
	p.until(`document.querySelector('.trash-name')?.textContent === 'One'`)
	p.clickOn("restore", `[data-restore]`)
	p.until(`!document.getElementById('trash-empty').hidden && document.activeElement.id === 'main'`)
	p.clickOn("open", `[data-slot="action"]:not([hidden])`)
	p.until(`document.getElementById('project-name')?.textContent === 'One'`)
}
