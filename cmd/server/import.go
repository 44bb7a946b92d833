package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"collie/cmd/internal/mapping"
	"collie/segment"
	"collie/segment/audit"
	"collie/segment/importer"
	"collie/segment/importer/dataset"
)

// importCommand imports masks into a project, or makes a project of a backup.
type importCommand struct {
	Files []string `arg:"" help:"Folders, zip archives, masks as PNG or TIFF, JSON of COCO, labelme or Label Studio, XML of CVAT, .npz files with scores or embeddings, or .npy files with scores; without --project, backups."`

	Project string `placeholder:"NAME" help:"Id of the project, or its name if no other project has it. Without it, the files are backups that each become a new project."`
	mapping.Flags

	uploadLimits
	dataFlag
}

// Run imports one file after the other and says what became of each mask. It
// fails when a mask or a file could not be imported; the others are there all the same.
func (c *importCommand) Run(ctx context.Context, out streams) (err error) {
	for _, name := range c.Files {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("nothing was imported: there is no such file or folder: %s", name)
		} else if err != nil {
			return fmt.Errorf("nothing was imported: %w", err)
		}
	}
	d, err := openExisting(ctx, c.dataFlag, c.photo())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.workspace.LimitImages(c.MaxImages)
	if c.Project == "" {
		return c.backups(ctx, d, out)
	}
	project, err := findProject(ctx, d.workspace, c.Project)
	if err != nil {
		return err
	}
	failed := false
	for _, name := range c.Files {
		report, err := c.masks(ctx, d, project.ID, name, func(im importer.ImageReport) {
			if im.Problem != "" {
				failed = true
			}
			tellImported(out, im)
		})
		for _, v := range report.Values {
			fmt.Fprintf(out.stdout, "%s\n", became(v))
		}
		for _, class := range report.Classes {
			fmt.Fprintf(out.stdout, "class %s was added\n", class)
		}
		switch problem, ok := importer.OfData(err); {
		case ok:
			failed = true
			tellImported(out, importer.ImageReport{Mask: name, Problem: problem})
			if len(report.Images) == 0 {
				continue
			}
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := d.workspace.Record(ctx, audit.MasksImported, project.ID, segment.Counted(report.Imported(), "mask")+" from "+name); err != nil {
			return err
		}
	}
	if failed {
		return errors.New("some masks or files were not imported")
	}
	return nil
}

// masks imports one of the files.
func (c *importCommand) masks(ctx context.Context, d *data, project, name string, tell func(importer.ImageReport)) (report importer.Report, err error) {
	files, done, err := c.open(name)
	if err == nil {
		report, err = importer.Import(ctx, d.workspace, project, files, dataset.Options{Objects: c.Numbers == "objects", Undecided: c.Uncovered == "undecided", Mapping: c.Map, PASCAL: c.Names == "voc"}, tell)
	}
	if done != nil {
		err = errors.Join(err, done())
	}
	return report, err
}

// became says what a value in masks became.
func became(v importer.Value) string {
	switch {
	case v.Unknown:
		return fmt.Sprintf("value %s: nothing says what it means", v.Value)
	case v.Class == "":
		return fmt.Sprintf("value %s is undecided here", v.Value)
	}
	return fmt.Sprintf("value %s is %s here", v.Value, v.Class)
}

// tellImported says what became of one mask.
func tellImported(out streams, im importer.ImageReport) {
	if im.Problem != "" {
		fmt.Fprintf(out.stderr, "%s: not imported. %s\n", im.Mask, im.Problem)
		return
	}
	what := fmt.Sprintf("%d pixels have a class", im.Decided)
	switch {
	case im.Embedded != "":
		what = im.Embedded
	case len(im.Columns) > 0:
		what = "scores of " + strings.Join(im.Columns, ", ")
	case im.Decided == 1:
		what = "1 pixel has a class"
	}
	fmt.Fprintf(out.stdout, "%s: %s\n", im.Mask, what)
	if im.Replaces {
		fmt.Fprintln(out.stdout, "  replaces the labels that the image had; undo brings them back")
	}
	if im.Empty {
		fmt.Fprintln(out.stdout, "  no shapes, so all of it is outside every shape")
	}
	for _, what := range im.Lossy {
		fmt.Fprintf(out.stdout, "  %s\n", what)
	}
}

// backups makes a project of each file.
func (c *importCommand) backups(ctx context.Context, d *data, out streams) error {
	for _, name := range c.Files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s is a folder, but a backup is a zip file; to import masks, add --project NAME", name)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		p, err := importer.Backup(ctx, d.workspace, f, info.Size(), c.zip())
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(out.stdout, "%s: project %q with the id %s\n", name, p.Name, p.ID)
	}
	return nil
}

// open opens a folder, an archive or a file alone; done closes it.
func (c *importCommand) open(name string) (files dataset.Files, done func() error, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return files, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return files, nil, err
		}
		files, err = dataset.FromFS(root.FS())
		return files, root.Close, err
	}
	f, err := os.Open(name)
	if err != nil {
		return files, nil, err
	}
	files, err = dataset.FromFile(filepath.Base(name), f, info.Size(), c.zip())
	return files, f.Close, err
}
