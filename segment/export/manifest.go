package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"collie/segment/export/zipfile"
)

// mostListed is how many images a report lists. manifest.json lists all; with a million
// they are some hundred megabytes.
const mostListed = 10_000

// manifest is manifest.json as it grows with the archive: the report with its
// complete lists.
type manifest struct {
	report                 *Report
	images, skipped, files list
}

// add adds an image that is in the archive.
func (m *manifest) add(im ImageReport) error {
	r := m.report
	if r.Exported++; r.Exported <= mostListed {
		r.Images = append(r.Images, im)
	}
	r.RegionsIn += im.RegionsIn
	r.RegionsOut += im.RegionsOut
	if im.Lossy != "" {
		r.Lossy++
	}
	if im.Damaged {
		r.Damaged++
	}
	switch im.Guess {
	case guessExported:
		r.Guesses++
	case guessLeftOut:
		r.LeftOut++
	}
	return m.images.add(im)
}

// skip adds an image that is left out.
func (m *manifest) skip(im SkippedImage) error {
	r := m.report
	if r.Omitted++; r.Omitted <= mostListed {
		r.Skipped = append(r.Skipped, im)
	}
	if im.Damaged {
		r.Damaged++
	}
	return m.skipped.add(im)
}

// file adds a file that is in the archive.
func (m *manifest) file(f zipfile.FileReport) error { return m.files.add(f) }

// end adds manifest.json to the archive and ends it.
func (m *manifest) end(a *zipfile.Writer) error {
	head := *m.report
	head.Images, head.Skipped = nil, nil
	b, err := json.MarshalIndent(head, "", " ")
	if err != nil {
		return err
	}
	text, ok := strings.CutSuffix(string(b), ",\n \"images\": null,\n \"skipped\": null\n}")
	if !ok {
		return fmt.Errorf("export: a report that doesn't end with its lists: %s", b)
	}
	s, err := zipfile.NewSpool(zipfile.Document{Name: "manifest.json", Head: text})
	if err != nil {
		return err
	}
	defer s.Close()
	lists := []struct {
		name string
		*list
	}{{"images", &m.images}, {"skipped", &m.skipped}, {"files", &m.files}}
	for _, l := range lists {
		if l.name == "files" && l.entries == 0 {
			continue
		}
		if _, err := fmt.Fprintf(s, ",\n %q: ", l.name); err != nil {
			return err
		}
		if err := l.into(s); err != nil {
			return err
		}
	}
	s.Foot = zipfile.Static("\n}\n")
	if err := s.Into(a); err != nil {
		return err
	}
	return a.Close()
}

// Close removes temporary files.
func (m *manifest) Close() error {
	return errors.Join(m.images.text.Close(), m.skipped.text.Close(), m.files.text.Close())
}

// list is the text of a JSON array, indented as a field of a document.
type list struct {
	entries int
	text    zipfile.Overflow
}

func (l *list) add(v any) error {
	b, err := json.MarshalIndent(v, "  ", " ")
	if err != nil {
		return err
	}
	separator := "\n  "
	if l.entries++; l.entries > 1 {
		separator = ",\n  "
	}
	if _, err := io.WriteString(&l.text, separator); err != nil {
		return err
	}
	_, err = l.text.Write(b)
	return err
}

// into writes the array. The list is used up.
func (l *list) into(w io.Writer) error {
	if l.entries == 0 {
		_, err := io.WriteString(w, "[]")
		return err
	}
	r, _, err := l.text.Reader()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.MultiReader(strings.NewReader("["), r, strings.NewReader("\n ]")))
	return err
}
