package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"collie/segment/audit"
	"collie/web/people"
)

// auditCommand prints the audit log, also while the server runs.
type auditCommand struct {
	After int64 `placeholder:"NUMBER" help:"Only entries after this number."`
	dataFlag
}

// Run prints the entries, the oldest first, as a line of JSON each.
func (c *auditCommand) Run(ctx context.Context, out streams) (err error) {
	d, err := openExisting(ctx, c.dataFlag, anyPhoto)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	lines := json.NewEncoder(out.stdout)
	for after := c.After; ; {
		entries, err := d.workspace.EntriesAfter(ctx, after, 1000)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if err := people.EncodeEntry(lines, e); err != nil {
				return err
			}
			after = e.Number
		}
	}
}

// note writes into the audit log what a command has done that only reads the folder,
// which it also does if the folder can't be written, and if it was told to stop
// when it had just done it.
func (d *data) note(ctx context.Context, out streams, action audit.Action, about, detail string) {
	if err := d.workspace.Record(context.WithoutCancel(ctx), action, about, detail); err != nil {
		fmt.Fprintf(out.stderr, "This is not in the audit log: %v\n", err)
	}
}
