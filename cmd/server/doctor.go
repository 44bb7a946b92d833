package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/workspace"
)

// doctorCommand examines a data folder.
type doctorCommand struct {
	dataFlag
	Repair bool `help:"Repair whatever can be repaired without loss: rebuild damaged display copies from their originals, and remove files that belong to no image and are older than a day."`
}

// Run prints what it finds, with advice about the installation, and returns an error when something is wrong.
func (c *doctorCommand) Run(ctx context.Context, out streams) (err error) {
	d, err := openExisting(ctx, c.dataFlag, anyPhoto)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if c.Repair {
		if err := d.workspace.Record(ctx, audit.ServerRepaired, "", ""); err != nil {
			return err
		}
	}
	visit := &visit{data: d, out: out, repair: c.Repair}
	if d.local != nil {
		if err := visit.installation(ctx, c.Data); err != nil {
			return err
		}
	} else {
		visit.say("database: it can be reached, is recent enough, and keeps what it has acknowledged in a power cut (fsync, full_page_writes)")
		risks, err := d.shared.Risks(ctx)
		if err != nil {
			return err
		}
		for _, risk := range risks {
			visit.say("database: %s", risk)
		}
	}
	visit.bucket(ctx)
	if err := visit.all(access.With(ctx, access.Operator)); err != nil {
		return err
	}
	if visit.wrong > 0 {
		return fmt.Errorf("%s found in %s", segment.Counted(visit.wrong, "problem"), c.Data)
	}
	return nil
}

// visit is one examination.
type visit struct {
	*data
	out    streams
	repair bool
	wrong  int // found and not repaired
}

func (v *visit) say(format string, args ...any) { fmt.Fprintf(v.out.stdout, format+"\n", args...) }

func (v *visit) all(ctx context.Context) error {
	if v.local != nil {
		if whole, err := v.database(ctx); err != nil || !whole {
			return err // what is read from it is not worth much
		}
	}
	if err := v.names(ctx); err != nil {
		return err
	}
	if err := v.projects(ctx); err != nil {
		return err
	}
	if err := v.images(ctx); err != nil {
		return err
	}
	return v.orphans(ctx)
}

// database examines a database in the data folder, and reports whether it can be read.
func (v *visit) database(ctx context.Context) (whole bool, err error) {
	if err := v.losses(); err != nil {
		return false, err
	}
	found, err := v.local.Check(ctx)
	for _, what := range found {
		v.wrong++
		v.say("database: %s", what)
	}
	if err != nil {
		v.wrong++
		v.say("database: %v", err)
		return false, ctx.Err()
	}
	return true, nil
}

// losses says what the database has lost, which --repair acknowledges.
func (v *visit) losses() error {
	lost, err := v.local.Losses()
	for _, what := range lost {
		v.say("database: %s", what)
	}
	if err != nil || len(lost) == 0 {
		return err
	}
	if v.repair {
		v.say("Acknowledged; this won't be reported again")
		return v.local.AcknowledgeLosses()
	}
	v.wrong += len(lost)
	v.say("Nothing can bring this back but a backup. To stop this report, run with --repair")
	return nil
}

// bucket examines the bucket, if there is one, by writing, racing for, reading and
// removing a test object.
func (v *visit) bucket(ctx context.Context) {
	b, ok := v.blobs.(*bucket)
	if !ok {
		return
	}
	began := time.Now()
	if err := b.store.Examine(ctx); err != nil {
		v.wrong++
		v.say("bucket: %v", err)
		return
	}
	v.say("bucket: %v keeps files once they are written, of several writers of one file accepts exactly one, and keeps checksums (examined in %v)", b.store, time.Since(began).Round(time.Millisecond))
	v.say("bucket: whether what it accepted survives a power cut is the promise of its server")
}

// names reports a user from before the name was refused.
func (v *visit) names(ctx context.Context) error {
	u, err := v.store.UserNamed(ctx, segment.ByProject)
	if segment.KindOf(err) == segment.NotFound {
		return nil
	}
	if err == nil && u.Name == segment.ByProject { // Project is not mixed up with it
		v.wrong++
		v.say("user %s: a project's model undoes the work of a user with this name; add one with another name, and remove this one", u.Name)
	}
	return err
}

// projects reports records of projects that can't be read.
func (v *visit) projects(ctx context.Context) error {
	if _, err := v.store.Projects(ctx); !v.unreadable(err) {
		return err
	}
	return nil
}

// unreadable reports records that can't be read, if the error is about such ones.
func (v *visit) unreadable(err error) bool {
	if segment.KindOf(err) != segment.Damaged {
		return false
	}
	v.wrong++
	v.say("database: %v", err)
	return true
}

// images examines one image after the other.
func (v *visit) images(ctx context.Context) error {
	count, events, damaged := 0, 0, 0
	for im, err := range v.store.EveryImage(ctx) {
		if v.unreadable(err) {
			damaged++
			count++
			continue
		}
		if err != nil {
			return err
		}
		found, err := v.workspace.Examine(ctx, im)
		if err != nil {
			return err
		}
		count++
		events += im.Seq
		if len(found) > 0 {
			damaged++
		}
		for _, d := range found {
			v.damage(ctx, im, d)
		}
	}
	v.say("%s with %s examined, %d damaged", images(count), segment.Counted(events, "event"), damaged)
	return nil
}

// damage reports one damage, and repairs it if asked and possible.
func (v *visit) damage(ctx context.Context, im segment.Image, d workspace.Damage) {
	outcome := "only a backup can bring it back"
	switch {
	case d.Repair != nil && !v.repair:
		outcome = "--repair can fix it"
	case d.Repair != nil:
		if err := d.Repair(ctx); err != nil {
			outcome = fmt.Sprintf("the repair failed: %v", err)
			break
		}
		v.say("image %s, %q: %s; this was repaired (%v)", im.ID, im.Name, d.What, d.Err)
		return
	}
	v.wrong++
	v.say("image %s, %q: %s; %s (%v)", im.ID, im.Name, d.What, outcome, d.Err)
}

// orphans tells of files of no image. They are no damage: an upload that was
// interrupted leaves some, and the server removes them a day later.
func (v *visit) orphans(ctx context.Context) error {
	orphans, err := v.workspace.Orphans(ctx)
	if err != nil {
		return err
	}
	var bytes int64
	for _, blob := range orphans {
		bytes += blob.Bytes
	}
	v.say("files that belong to no image: %d, %s", len(orphans), sizeText(bytes))
	if !v.repair || len(orphans) == 0 {
		return nil
	}
	removed, err := v.workspace.RemoveOrphans(ctx, time.Now())
	if err == nil {
		v.say("%d of them were older than a day and have been removed", removed)
	}
	return err
}
