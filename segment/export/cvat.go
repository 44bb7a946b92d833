package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"

	"collie/segment/export/zipfile"
)

// cvat is 'CVAT for images 1.1' with masks: the runs of a region through the
// rows of its box, background first.
type cvat struct {
	single
	job *job
}

func newCVAT(j *job) (encoder, error) { return &cvat{job: j}, nil }

func (c *cvat) document(set string) zipfile.Document {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s<annotations>\n<version>1.1</version>\n<meta><task><name>%s</name><size>%d</size><mode>annotation</mode><labels>\n",
		xml.Header, asXML(c.job.project.Name), len(c.job.members(set)))
	for _, class := range c.job.project.Classes {
		fmt.Fprintf(&b, "<label><name>%s</name><color>%s</color><type>mask</type><attributes></attributes></label>\n", asXML(class.Name), class.Color)
	}
	b.WriteString("</labels></task></meta>\n")
	name := "annotations.xml"
	if set != setAll {
		name = "annotations_" + set + ".xml"
	}
	return zipfile.Document{Name: name, Head: b.String(), Foot: zipfile.Static("</annotations>\n")}
}

func (c *cvat) image(_ context.Context, s *subject) (*piece, error) {
	s.pictureName = s.inOneFolder()
	parts := s.partition()
	list, of, p := s.list()
	var b bytes.Buffer
	fmt.Fprintf(&b, "<image id=\"%d\" name=\"%s\" width=\"%d\" height=\"%d\">\n", s.number, asXML(s.fileName()), s.mask.Width, s.mask.Height)
	for i, rows := range parts.Rows(list, of) {
		o := list[i]
		p.out += len(o.Parts)
		fmt.Fprintf(&b, "<mask label=\"%s\" source=\"manual\" occluded=\"0\" rle=\"%s\" left=\"%d\" top=\"%d\" width=\"%d\" height=\"%d\" z_order=\"0\"></mask>\n",
			asXML(s.project.Classes[o.Class].Name), rows.AppendList(nil, ", "), o.Box.Min.X, o.Box.Min.Y, o.Box.Dx(), o.Box.Dy())
	}
	b.WriteString("</image>\n")
	p.entries = [][]byte{b.Bytes()}
	return p, nil
}

// asXML escapes text for elements and attributes.
func asXML(s string) string {
	var b bytes.Buffer
	xml.Escape(&b, []byte(s))
	return b.String()
}
