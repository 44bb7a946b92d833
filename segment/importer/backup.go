package importer

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/backup"
	"collie/segment/workspace"
)

// maxMember is how large a file of a backup that is held in memory may be.
const maxMember = 256 << 20

// Backup makes a new project of a backup, a zip of the given size in bytes, with
// the same classes, evidence and labellings. Of a damaged one nothing stays but
// what went to the trash. Errors are for people.
func Backup(ctx context.Context, w *workspace.Workspace, file io.ReaderAt, size int64, limits archive.Limits) (segment.Project, error) {
	files, err := FromFile("", file, size, limits)
	if err != nil {
		return segment.Project{}, err
	}
	if !slices.Contains(files.Names, backup.File) {
		return segment.Project{}, segment.Errorf(segment.Unsupported, "This is no backup of Collie, which is a zip archive with a file %s. Masks of other programs are imported into a project.", backup.File)
	}
	b, err := files.read(backup.File, maxMember)
	if err != nil {
		return segment.Project{}, err
	}
	var d backup.Document
	if err := json.Unmarshal(b, &d); err != nil || d.Kind != backup.Kind {
		return segment.Project{}, segment.Errorf(segment.Unreadable, "The file %s of the backup can't be read.", backup.File).Because(err)
	}
	if d.Version != backup.Version {
		return segment.Project{}, segment.Errorf(segment.Unsupported, "The backup has version %d; this program reads version %d. Use a newer one.", d.Version, backup.Version)
	}
	p := segment.Project{Name: d.Project.Name, Rest: d.Project.Rest}
	for _, c := range d.Project.Classes {
		p.Classes = append(p.Classes, segment.Class(c))
	}
	for _, c := range d.Project.Deleted {
		p.Deleted = append(p.Deleted, segment.DeletedClass{Class: segment.Class(c.Class), Target: c.Target, Deleted: c.Deleted})
	}
	return w.AdoptProject(ctx, p, packed(files, d.Images))
}

// packed opens the images of a backup one after the other.
func packed(files Files, images []backup.Image) iter.Seq2[*workspace.Adopted, error] {
	return func(yield func(*workspace.Adopted, error) bool) {
		for _, im := range images {
			if !unpack(files, &im, yield) {
				return
			}
		}
	}
}

// unpack hands one image over and reports whether another is wanted.
func unpack(files Files, im *backup.Image, yield func(*workspace.Adopted, error) bool) bool {
	out := workspace.Adopted{
		Image:     segment.Image{Name: im.Name, Regions: im.Regions, Created: im.Created},
		Labelling: im.Labelling,
	}
	fail := func(err error) bool { return yield(nil, err) }
	var err error
	if out.Hierarchy, err = files.read(im.Hierarchy, maxMember); err != nil {
		return fail(err)
	}
	if out.Graph, err = files.read(im.Graph, maxMember); err != nil {
		return fail(err)
	}
	original, err := files.Open(im.Original)
	if err != nil {
		return fail(err)
	}
	defer original.Close()
	evidence, err := files.Open(im.Evidence)
	if err != nil {
		return fail(err)
	}
	defer evidence.Close()
	out.Original, out.Events = original, backup.ReadEvents(evidence)
	return yield(&out, nil)
}
