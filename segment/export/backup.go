package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"collie/segment"
	"collie/segment/backup"
	"collie/segment/export/zipfile"
)

// whole is a backup, see package backup. It stores evidence, not pixels, so the
// option undecided has no effect.
type whole struct {
	single
	job *job
}

func newBackup(j *job) (encoder, error) { return &whole{job: j}, nil }

func (e *whole) document(string) zipfile.Document {
	p := e.job.project
	out := backup.Project{ID: p.ID, Name: p.Name, Created: p.Created, Rest: p.Rest, Unaided: p.Unaided, Deleted: []backup.DeletedClass{}}
	for _, c := range p.Classes {
		out.Classes = append(out.Classes, backup.Class(c))
	}
	for _, c := range p.Deleted {
		out.Deleted = append(out.Deleted, backup.DeletedClass{Class: backup.Class(c.Class), Target: c.Target, Deleted: c.Deleted})
	}
	head := asJSON(backup.Document{Kind: backup.Kind, Version: backup.Version, Project: out, Images: []backup.Image{}})
	return zipfile.Document{
		Name: backup.File, Separator: ",\n",
		Head: strings.TrimSuffix(head, "]}") + "\n", Foot: zipfile.Static("\n]}\n"),
	}
}

func (*whole) image(ctx context.Context, s *subject) (*piece, error) {
	im := &s.image
	extension := map[string]string{"jpeg": "jpg", "tiff": "tif"}[im.Format]
	if extension == "" {
		extension = im.Format
	}
	record := backup.Image{
		ID: im.ID, Name: im.Name, Format: im.Format, Width: im.Width, Height: im.Height,
		Regions: im.Regions, Bytes: im.Bytes, Created: im.Created,
		Original: "originals/" + s.stem + "." + extension, Evidence: "evidence/" + s.stem + ".jsonl",
		Hierarchy: "maps/" + s.stem + ".hierarchy", Graph: "maps/" + s.stem + ".graph",
	}
	if r := im.Review; r.Status != segment.NoReview {
		record.Review = &backup.Review{Status: string(r.Status), Comment: r.Comment, By: r.By, At: r.At, Seq: r.Seq}
	}
	p := &piece{out: len(s.partition().Regions)}
	events, err := s.annotation.Events(ctx, s.state)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(s.annotation.PixelsOf(s.state))
	record.Seq, record.Labelling = len(events), hex.EncodeToString(sum[:])
	var lines bytes.Buffer
	if err := backup.WriteEvents(&lines, events); err != nil {
		return nil, err
	}
	evidence, err := zipfile.Deflated(record.Evidence, lines.Bytes())
	if err != nil {
		return nil, err
	}
	original, err := s.blob(ctx, im.OriginalKey())
	if err != nil {
		return nil, err
	}
	p.files = []zipfile.Member{zipfile.Stored(record.Original, original), evidence}
	for _, f := range []struct{ name, key string }{{record.Hierarchy, im.HierarchyKey()}, {record.Graph, im.GraphKey()}} {
		b, err := s.blob(ctx, f.key)
		if err != nil {
			return nil, err
		}
		m, err := zipfile.Deflated(f.name, b)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, m)
	}
	entry, err := json.Marshal(record)
	p.entries = [][]byte{entry}
	return p, err
}
