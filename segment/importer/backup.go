package importer

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"

	"collie/segment"
	"collie/segment/archive"
	"collie/segment/backup"
	"collie/segment/importer/dataset"
	"collie/segment/workspace"
)

// maxMember is the largest size of a backup's file that is read into memory.
const maxMember = 64 << 20

// backupMemory estimates the memory for checking an image of a backup, in
// bytes, without its pixels.
const backupMemory = 160 << 20

// Backup creates a project from a backup, a zip of the given size in bytes,
// with the same classes, evidence and labellings. If the backup is damaged, the
// project ends up in the trash. Errors are for people.
func Backup(ctx context.Context, w *workspace.Workspace, file io.ReaderAt, size int64, limits archive.Limits) (segment.Project, error) {
	files, err := dataset.FromFile("", file, size, limits)
	if err != nil {
		return segment.Project{}, err
	}
	if !slices.Contains(files.Names, backup.File) {
		return segment.Project{}, segment.Errorf(segment.Unsupported, "This is not a Collie backup (a zip archive with a file %s). To import masks made by other programs, open a project, or name it with --project on the command line.", backup.File)
	}
	if len(files.Twice) > 0 {
		return segment.Project{}, segment.Errorf(segment.Unreadable, "The backup has more than one file called %.100q, and nothing says which is right. Nothing was restored.", files.Twice[0])
	}
	give, err := w.Documents(ctx, backupMemory)
	if err != nil {
		return segment.Project{}, err
	}
	defer give()
	files = files.During(ctx)
	d, err := readDocument(files, w.MostImages())
	if err != nil {
		return segment.Project{}, cmp.Or(ctx.Err(), err)
	}
	p := segment.Project{Name: d.Project.Name, Rest: d.Project.Rest, Unaided: d.Project.Unaided}
	for _, c := range d.Project.Classes {
		p.Classes = append(p.Classes, segment.Class(c))
	}
	for _, c := range d.Project.Deleted {
		p.Deleted = append(p.Deleted, segment.DeletedClass{Class: segment.Class(c.Class), Target: c.Target, Deleted: c.Deleted})
	}
	return w.AdoptProject(ctx, p, packed(files, d.Images))
}

// readDocument reads the table of contents of a backup of up to most images.
func readDocument(files dataset.Files, mostImages int) (backup.Document, error) {
	var out backup.Document
	d, err := dataset.OpenJSON(files, backup.File)
	if err != nil {
		return out, err
	}
	defer d.Close()
	err = d.Members(func(member string) error {
		switch member {
		case "kind":
			return d.Into(&out.Kind)
		case "version":
			return d.Into(&out.Version)
		case "project":
			return d.Members(func(member string) error {
				switch member {
				case "name":
					return d.Into(&out.Project.Name)
				case "classes":
					return readList(d, &out.Project.Classes, segment.MaxClasses, "classes")
				case "deleted":
					return readList(d, &out.Project.Deleted, segment.MaxClasses, "deleted classes")
				case "rest":
					return d.Into(&out.Project.Rest)
				case "unaided":
					return d.Into(&out.Project.Unaided)
				}
				return nil
			})
		case "images":
			return readList(d, &out.Images, mostImages, "images")
		}
		return nil
	})
	switch {
	case err != nil:
		return out, err
	case out.Kind != backup.Kind:
		return out, segment.Errorf(segment.Unreadable, "The file %s in the backup can't be read.", backup.File)
	case out.Version != backup.Version:
		return out, segment.Errorf(segment.Unsupported, "The backup has version %d; this program reads version %d. Update Collie.", out.Version, backup.Version)
	}
	return out, nil
}

// readList reads a list of up to most entries; what names them in errors.
func readList[T any](d *dataset.Document, list *[]T, most int, what string) error {
	if d.PeekKind() != '[' {
		return d.Skip()
	}
	return d.Elements(what, func() error {
		if len(*list) == most {
			return segment.Errorf(segment.TooLarge, "The backup has more than %d %s, which is the limit of a project here. Nothing was restored.", most, what)
		}
		var entry T
		err := d.Into(&entry)
		*list = append(*list, entry)
		return err
	})
}

// packed opens the images of a backup one after the other.
func packed(files dataset.Files, images []backup.Image) iter.Seq2[*workspace.Adopted, error] {
	return func(yield func(*workspace.Adopted, error) bool) {
		for _, im := range images {
			if !unpack(files, &im, yield) {
				return
			}
		}
	}
}

// unpack yields one image and reports whether to go on.
func unpack(files dataset.Files, im *backup.Image, yield func(*workspace.Adopted, error) bool) bool {
	out := workspace.Adopted{
		Image:     segment.Image{Name: im.Name, Regions: im.Regions, Created: im.Created},
		Labelling: im.Labelling,
	}
	if r := im.Review; r != nil {
		out.Review = segment.Review{Status: segment.ReviewStatus(r.Status), Comment: r.Comment, By: r.By, At: r.At.UTC(), Seq: r.Seq}
	}
	fail := func(err error) bool { return yield(nil, err) }
	var err error
	if out.Hierarchy, err = files.Read(im.Hierarchy, maxMember); err != nil {
		return fail(err)
	}
	if out.Graph, err = files.Read(im.Graph, maxMember); err != nil {
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
