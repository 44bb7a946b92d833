package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"collie/cmd/internal/remarks"
	"collie/cmd/server/machine"
	"collie/segment"
	"collie/segment/audit"
	"collie/segment/export"
	"collie/segment/ledger"
	"collie/segment/photo"
	"collie/segment/workspace"
	"collie/storage/disk"
)

// exportCommand writes a project, or some of its images, as a zip.
type exportCommand struct {
	Project string `required:"" placeholder:"NAME" help:"Id of the project, or its name if no other project has it."`
	Format  string `required:"" enum:"${formats}" placeholder:"FORMAT" help:"One of ${enum}."`
	Out     string `required:"" type:"path" placeholder:"FILE" help:"File to write; an existing file is replaced once the new one is complete."`

	Image      []string `placeholder:"ID" help:"Id of an image to export; repeat it for more. Without it, all images of the project."`
	Guesses    bool     `help:"Export guesses that nobody has accepted, too."`
	Drafts     bool     `default:"true" negatable:"" help:"Include unfinished images."`
	Approved   bool     `help:"Leave out images that are not approved, or have changed since."`
	Undecided  string   `default:"void" enum:"void,background" help:"What undecided pixels become: void or background."`
	Pictures   *bool    `negatable:"" help:"Include images; without the flag the format decides."`
	Objects    string   `default:"region" enum:"region,class" help:"One object per region or per class, in formats that list objects."`
	Shapes     string   `default:"" enum:",polygon,mask" help:"polygon or mask; by default COCO has polygons and labelme has masks."`
	Background *bool    `negatable:"" help:"Include class 0 as an object; by default only if it isn't called background or similar."`
	Hypotheses int      `default:"20" help:"Number of hypotheses in numpy and hypotheses exports."`
	Split      string   `placeholder:"80,20,0" help:"Divide the images into train, val and test: by chance, in these shares in per cent, or with 'name' by the words train, val and test in their names."`
	Seed       uint32   `placeholder:"NUMBER" help:"With shares in --split: another number divides the images differently."`

	dataFlag
	affinitiesFlag
}

// Run writes the export, of the moment at which it reads each image, and its
// report in short.
func (c *exportCommand) Run(ctx context.Context, out streams) (err error) {
	affinities, err := c.affinitiesFlag.read()
	if err != nil {
		return err
	}
	d, err := openExisting(ctx, c.dataFlag, anyPhoto, workspace.Options{Affinities: affinities})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	project, err := findProject(ctx, d.workspace, c.Project)
	if err != nil {
		return err
	}
	options := export.Options{
		Images: c.Image, Drafts: &c.Drafts, Approved: c.Approved, Guesses: &c.Guesses, Undecided: c.Undecided, Pictures: c.Pictures,
		Objects: c.Objects, Shapes: c.Shapes, Background: c.Background, Hypotheses: &c.Hypotheses,
	}
	if options.Split, err = c.split(); err != nil {
		return err
	}
	var report *export.Report
	err = disk.Replace(c.Out, func(f *os.File) (err error) {
		report, err = export.Write(ctx, f, within(exportMemory(), d.workspace), project.ID, c.Format, options, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("nothing was exported: %w", err)
	}
	d.note(ctx, out, audit.ExportFetched, project.ID, c.Format+" "+c.Out)
	tell(out.stdout, c.Out, report)
	if report.Damaged > 0 {
		return fmt.Errorf("%s is complete but for images whose files are lost or damaged: %d", c.Out, report.Damaged)
	}
	return nil
}

// exportMemory is how many bytes the images of an export take at once, beside a server
// that may be running: a quarter of what the machine or container has, or what a server
// has for decoding where that is unknown.
func exportMemory() int64 {
	return cmp.Or(machine.Memory("/")/4, photo.Limits{}.OrDefault().Memory)
}

// bounded is a source whose images share some memory, as those of a server do. One that
// needs more gets all of it.
type bounded struct {
	export.Source
	total  int64
	memory *ledger.Ledger
}

func within(memory int64, s export.Source) export.Source {
	return bounded{s, memory, ledger.New(memory, memory, math.MaxInt)}
}

func (b bounded) Pictures(ctx context.Context, n int64) (give func(), err error) {
	return b.memory.Take(ctx, min(n, b.total))
}

// split reads the flag; nil without it.
func (c *exportCommand) split() (*export.Split, error) {
	if c.Seed != 0 && (c.Split == "" || c.Split == "name") {
		return nil, errors.New("--seed chooses among divisions by chance, so it needs --split with shares such as 80,10,10")
	}
	switch c.Split {
	case "":
		return nil, nil
	case "name":
		return &export.Split{By: "name"}, nil
	}
	s := &export.Split{By: "share", Seed: c.Seed}
	shares := strings.Split(c.Split, ",")
	for i, share := range []**int{&s.Train, &s.Val, &s.Test} {
		if i >= len(shares) {
			break
		}
		n, err := strconv.Atoi(strings.TrimSpace(shares[i]))
		if err != nil || len(shares) > 3 {
			return nil, fmt.Errorf("--split %s: use up to three shares in per cent such as 80,10,10, or 'name'", c.Split)
		}
		*share = &n
	}
	return s, nil
}

// tell writes a report for people: what there is, then what is not exact or left out,
// once for all images of which the same is to be said.
func tell(w io.Writer, file string, r *export.Report) {
	fmt.Fprintf(w, "%s: %s, %d of %d regions\n", file, images(r.Exported), r.RegionsOut, r.RegionsIn)
	var said remarks.List
	for _, im := range r.Images {
		said.Add(im.Name, im.Lossy+" "+im.Note)
	}
	for _, im := range r.Skipped {
		said.Add(im.Name, "left out. "+im.Why)
	}
	said.Print(w)
}

// findProject finds a project by its id or its name.
func findProject(ctx context.Context, w *workspace.Workspace, what string) (segment.Project, error) {
	projects, err := w.Projects(ctx)
	if err != nil {
		return segment.Project{}, err
	}
	for _, p := range projects {
		if p.ID == what {
			return p, nil
		}
	}
	var names []string
	for _, p := range projects {
		names = append(names, strconv.Quote(p.Name))
	}
	projects = slices.DeleteFunc(projects, func(p segment.Project) bool { return p.Name != what })
	switch len(projects) {
	case 0:
		return segment.Project{}, fmt.Errorf("no project has the id or name %q; the server has %s", what, cmp.Or(remarks.First(names), "no projects"))
	case 1:
		return projects[0], nil
	}
	var ids []string
	for _, p := range projects {
		ids = append(ids, p.ID)
	}
	return segment.Project{}, fmt.Errorf("%d projects are called %q; use the id of one: %s", len(projects), what, strings.Join(ids, ", "))
}
