package export

import (
	"bytes"
	"compress/flate"
	"io"
	"regexp"
	"testing"

	"collie/storage/workspacetest"
)

// Everything about an image is of one state, also when somebody clicks meanwhile.
func TestClicksDuringTheExport(t *testing.T) {
	for _, format := range []string{"hypotheses", "backup"} {
		w := workspacetest.MustOpen(t)
		a := workspacetest.MustAnnotate(t, w)
		workspacetest.MustAppend(t, a, workspacetest.Label("first", 1, [2]float64{10, 10}))
		j, m, err := newJob(t.Context(), w, a.Project().ID, format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		encoder, err := j.format.encoder(j)
		if err != nil {
			t.Fatal(err)
		}
		s := j.subject(0)
		defer s.close()
		if s.image, err = w.Image(t.Context(), s.image.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		workspacetest.MustAppend(t, a, workspacetest.Label("second", 0, [2]float64{110, 10}))
		p, err := encoder.image(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, e := range p.entries { // of a backup
			text += string(e)
		}
		for _, f := range p.files {
			if f.Report.Name == s.stem+"/hypotheses.json" {
				b, err := io.ReadAll(flate.NewReader(bytes.NewReader(f.Packed)))
				if err != nil {
					t.Fatal(err)
				}
				text += string(b)
			}
		}
		if seq := regexp.MustCompile(`"seq": ?(\d+)`).FindStringSubmatch(text); seq == nil || seq[1] != "1" {
			t.Errorf("%s: masks of event 1 beside %q", format, seq)
		}
	}
}
