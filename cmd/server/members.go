package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/workspace"
)

// membersCommand manages who can do what in a project, also while the server
// runs: it counts from the next request on, for open pages from the next ping on.
type membersCommand struct {
	List   listMembers  `cmd:"" help:"List the members of a project and their roles."`
	Set    setMember    `cmd:"" help:"Add a user to a project, or give a member another role there."`
	Remove removeMember `cmd:"" help:"Take a member's role in a project away. Their work stays."`
}

// projectFlag names the project of a command.
type projectFlag struct {
	Project string `arg:"" help:"Id of the project, or its name if no other project has it."`
	dataFlag
}

type listMembers struct{ projectFlag }

// Run lists the members.
func (c *listMembers) Run(ctx context.Context, out streams) error {
	return c.visit(ctx, func(ctx context.Context, w *workspace.Workspace, p segment.Project) error {
		members, err := w.Members(ctx, p.ID)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(out.stdout, 0, 0, 2, ' ', 0)
		for _, m := range members {
			fmt.Fprintf(table, "%s\t%s\tsince %s\n", m.Name, m.Role, m.Since.Format(time.DateOnly))
		}
		return table.Flush()
	})
}

type setMember struct {
	projectFlag
	Name string `arg:"" help:"Name that the user signs in with."`
	Role string `arg:"" enum:"viewer,reviewer,annotator,owner" help:"viewer, reviewer, annotator or owner."`
}

// Run adds the member or changes the role.
func (c *setMember) Run(ctx context.Context, out streams) error {
	role, _ := access.ParseRole(c.Role, access.ProjectRoles())
	return c.visit(ctx, func(ctx context.Context, w *workspace.Workspace, p segment.Project) error {
		m, err := w.SetMember(ctx, p.ID, c.Name, role)
		if err == nil {
			fmt.Fprintf(out.stdout, "%s is %s of %s\n", m.Name, m.Role, p.Name)
		}
		return err
	})
}

type removeMember struct {
	projectFlag
	Name string `arg:"" help:"Name that the user signs in with."`
}

// Run takes the role away.
func (c *removeMember) Run(ctx context.Context) error {
	return c.visit(ctx, func(ctx context.Context, w *workspace.Workspace, p segment.Project) error {
		_, err := w.RemoveMember(ctx, p.ID, c.Name)
		return err
	})
}

// visit opens the data folder for f, which gets the project.
func (c *projectFlag) visit(ctx context.Context, f func(context.Context, *workspace.Workspace, segment.Project) error) (err error) {
	d, err := openExisting(ctx, c.dataFlag, anyPhoto)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	p, err := findProject(ctx, d.workspace, c.Project)
	if err != nil {
		return err
	}
	return f(ctx, d.workspace, p)
}
