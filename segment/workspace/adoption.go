package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/assistant"
	"collie/segment/audit"
	"collie/segment/photo"
	"collie/segment/timeline"
	"collie/superpixels"
)

// Adopted is an image that comes with its superpixels and its evidence, from a
// backup. Nothing in it is trusted.
type Adopted struct {
	segment.Image    // its name, initial number of superpixels, date and review; the rest follows from the files
	Original         io.Reader
	Hierarchy, Graph []byte // in the binary forms of superpixels.Hierarchy and superpixels.Graph
	Events           iter.Seq2[segment.Event, error]
	Labelling        string // SHA-256, in hexadecimal, of what Pixels returns
}

// AdoptProject creates a project with a new id from the given classes,
// including deleted ones, and images. It checks that the labellings are
// restored bit by bit. The project's name says so while images arrive; if one
// is damaged, the project goes to the trash, or without any image away, and the
// error says why.
func (w *Workspace) AdoptProject(ctx context.Context, p segment.Project, images iter.Seq2[*Adopted, error]) (segment.Project, error) {
	if err := w.May(ctx, access.Administer); err != nil {
		return segment.Project{}, err
	}
	p, err := adopted(p)
	if err != nil {
		return segment.Project{}, err
	}
	unfinished := p
	unfinished.Name = lastRunes(p.Name, segment.MaxName-len(arriving)) + arriving
	if err := w.store.CreateProject(audit.Note(ctx, audit.New(ctx, audit.BackupImported, p.ID, p.Name)), unfinished); err != nil {
		return segment.Project{}, err
	}
	for im, err := range images {
		if err == nil {
			err = w.adopt(ctx, &p, im)
		}
		if err != nil {
			return segment.Project{}, errors.Join(err, w.discardProject(context.WithoutCancel(ctx), p))
		}
	}
	return w.EditProject(ctx, p.ID, segment.ProjectEdit{Name: p.Name}) // and keeps other changes made meanwhile
}

// arriving marks the name of a project while its images arrive.
const arriving = " (arriving)"

// adopted checks a project from a backup and gives it a new id.
func adopted(p segment.Project) (segment.Project, error) {
	var err error
	if p.Name, err = segment.CleanName("project name", p.Name); err != nil {
		return p, err
	}
	if p.Classes, err = segment.NormalizeClasses(p.Classes); err != nil {
		return p, err
	}
	var seen [256]bool
	all := append([]segment.Class(nil), p.Classes...)
	p.Deleted = slices.Clone(p.Deleted)
	for i := range p.Deleted {
		c := &p.Deleted[i]
		normal, err := segment.NormalizeClasses([]segment.Class{c.Class})
		if err != nil {
			return p, err
		}
		c.Class = normal[0]
		if err := errors.Join(segment.CheckTime(c.Deleted), segment.CheckTime(c.Deleted.AddDate(0, 0, segment.TrashDays))); err != nil {
			return p, segment.Errorf(segment.Unreadable, "A deleted class has no readable date.").Because(err)
		}
		all = append(all, c.Class)
	}
	for _, c := range all {
		if c.ID == segment.Void {
			return p, segment.Errorf(segment.Unreadable, "In the backup a class has the id %d, which means undecided.", c.ID)
		}
		if seen[c.ID] {
			return p, segment.Errorf(segment.Unreadable, "In the backup two classes have the id %d.", c.ID)
		}
		seen[c.ID] = true
	}
	if p.Rest.Mode == segment.RestClass && !seen[p.Rest.Class] {
		return p, segment.Errorf(segment.Unreadable, "In the backup, what nobody clicks gets the class id %d, but no class has it.", p.Rest.Class)
	}
	p.ID, p.Created = segment.NewID(), segment.Now()
	return p, nil
}

// adopt checks an image and stores it: its files, its record, its evidence.
func (w *Workspace) adopt(ctx context.Context, p *segment.Project, from *Adopted) error {
	picture, err := w.gate.Read(ctx, from.Original, photo.Expose)
	if err != nil {
		return photo.Refusal(err)
	}
	defer picture.Close()
	size := picture.Pixels.Bounds().Size()
	im := segment.Image{
		ID: segment.NewID(), ProjectID: p.ID, Name: from.Name, Format: picture.Format, Bytes: int64(len(picture.Original)),
		Width: size.X, Height: size.Y, Regions: from.Regions, Created: from.Created,
	}
	if im.Name, err = ImageName(from.Name); err != nil {
		return err
	}
	if err := segment.CheckTime(im.Created); err != nil {
		return damaged(im, err)
	}
	if from.Review, err = adoptedReview(from.Review); err != nil {
		return damaged(im, err)
	}
	events, progress, err := w.rehearse(p, im, from)
	if err != nil {
		return err
	}
	var display, thumbnail newBlob
	late := w.turns.long(ctx, func() {
		var e error
		display, err = written(im.DisplayKey(), picture.EncodeDisplay)
		thumbnail, e = written(im.ThumbnailKey(), picture.EncodeThumbnail)
		err = errors.Join(err, e)
	})
	if err := errors.Join(late, err); err != nil {
		return err
	}
	err = w.keep(ctx, im, []newBlob{
		display, thumbnail, {im.OriginalKey(), picture.Original}, {im.HierarchyKey(), from.Hierarchy}, {im.GraphKey(), from.Graph},
	})
	if err != nil {
		return err
	}
	stored := 0
	for batch := range slices.Chunk(events, adoptedAtOnce) {
		if err := w.store.Append(ctx, im.ID, stored, batch[0], progress, batch[1:]...); err != nil {
			return err
		}
		stored += len(batch)
	}
	if from.Review.Status == segment.NoReview {
		return nil
	}
	return w.store.SetReview(ctx, p.ID, map[string]segment.Looked{im.ID: {Seq: from.Review.Seq}}, from.Review, true)
}

// adoptedAtOnce is how many events are stored in one commit, which others wait for.
const adoptedAtOnce = 100

// adoptedReview checks a review from a backup.
func adoptedReview(r segment.Review) (segment.Review, error) {
	if r.Status == segment.NoReview {
		return r, nil
	}
	checked, err := r.Checked()
	if err == nil {
		checked.By, err = adoptedName(r.By)
	}
	if err == nil && r.Seq < 0 {
		err = errors.New("a review of less than no events")
	}
	return checked, errors.Join(err, segment.CheckTime(r.At))
}

// adoptedName checks the name of whoever has made something, which can be missing.
func adoptedName(by string) (string, error) {
	if by == "" {
		return "", nil
	}
	return segment.CleanName("name of a user", by)
}

// rehearse plays the evidence of an image in memory, checks that it gives the
// expected labelling, and returns the events and the progress that they lead to.
func (w *Workspace) rehearse(p *segment.Project, im segment.Image, from *Adopted) (events []segment.Event, progress segment.Progress, err error) {
	defer func() {
		if v := recover(); v != nil { // something that the checks below missed
			err = damaged(im, fmt.Errorf("playing the evidence: %v", v))
		}
	}()
	var hierarchy superpixels.Hierarchy
	var graph superpixels.Graph
	if err := errors.Join(hierarchy.UnmarshalBinary(from.Hierarchy), graph.UnmarshalBinary(from.Graph)); err != nil {
		return nil, progress, damaged(im, err)
	}
	cells := hierarchy.Runs()
	if cells.Width != im.Width || cells.Height != im.Height || len(graph.Regions) != cells.N || im.Regions < 1 || im.Regions > cells.N {
		return nil, progress, damaged(im, fmt.Errorf("%d×%d pixels, a map of %d×%d with %d regions, a graph of %d, %d to start with",
			im.Width, im.Height, cells.Width, cells.Height, cells.N, len(graph.Regions), im.Regions))
	}
	if !measured(cells, &graph) {
		return nil, progress, damaged(im, errors.New("the graph has regions of other sizes than the map"))
	}
	played := (&assistant.Assistant{Hierarchy: &hierarchy, Cells: &graph, Parameters: w.parameters}).Timeline(cells, im.Regions)
	known := *p // events can name classes that were deleted later
	for _, c := range p.Deleted {
		known.Classes = append(known.Classes[:len(known.Classes):len(known.Classes)], c.Class)
	}
	for e, err := range from.Events {
		if err == nil && !e.Kind.Known() {
			return nil, progress, segment.Errorf(segment.Unsupported, "The image %q in the backup has an event of the kind %.40q, which only a newer release of Collie knows, so nothing was restored. Update Collie.", im.Name, e.Kind)
		}
		if e = e.Pared(); err == nil {
			e.By, err = adoptedName(e.By)
		}
		if err == nil {
			err = played.Admits(&e, &known)
		}
		if segment.KindOf(err) == segment.TooLarge {
			return nil, progress, err
		}
		if err != nil {
			return nil, progress, damaged(im, err)
		}
		played.Apply(e)
		events = append(events, e)
	}
	table := p.Resolve()
	pixels := timeline.Spread(cells, table.Through(played.Cells()), played.Repairs(table))
	if sum := sha256.Sum256(pixels); hex.EncodeToString(sum[:]) != from.Labelling {
		return nil, progress, damaged(im, errors.New("the evidence gives a different labelling than the one in the backup"))
	}
	return events, played.Progress(&graph, table), nil
}

// measured reports whether the regions of a graph have the same areas as those
// of a map.
func measured(m *superpixels.Runs, g *superpixels.Graph) bool {
	areas := make([]int, m.N)
	for run := range m.All() {
		areas[run.Region] += run.End - run.Start
	}
	for i, area := range areas {
		if int(g.Regions[i].Area) != area {
			return false
		}
	}
	return true
}

func damaged(im segment.Image, err error) error {
	return segment.Errorf(segment.Unreadable, "The image %q in the backup is damaged, so nothing was restored.", im.Name).Because(err)
}
