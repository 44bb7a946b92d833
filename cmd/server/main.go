// Command server is Collie: without a subcommand it serves the pages and the
// interface of one data folder until it is stopped. main.go is the table of
// subcommands, each in a separate file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"collie/cmd/internal/help"
	"collie/cmd/internal/output"
	"collie/cmd/internal/version"
	"collie/segment/export"
)

// commands are the subcommands; without one the program serves.
type commands struct {
	Serve   serveCommand   `cmd:"" default:"withargs" help:"Serve Collie in the browser (the default command)."`
	Users   usersCommand   `cmd:"" help:"Manage the users who can sign in to a server that runs with --auth."`
	Members membersCommand `cmd:"" help:"Manage who can do what in a project of a server that runs with --auth."`
	Tokens  tokensCommand  `cmd:"" help:"Manage API tokens, with which programs use a server that runs with --auth."`

	Export exportCommand `cmd:"" help:"Write a project in a format that other programs read, also while the server runs."`
	Import importCommand `cmd:"" help:"Import masks, classifier scores or embeddings into a project, or backups of projects."`

	Backup  backupCommand  `cmd:"" help:"Copy the whole data folder to one file, also while the server runs."`
	Restore restoreCommand `cmd:"" help:"Restore a backup as a new data folder, or with --database to an empty database and its bucket."`
	Move    moveCommand    `cmd:"" help:"Move a data folder's files to a bucket, or its records to a database, or back, while no server uses them."`
	Doctor  doctorCommand  `cmd:"" help:"Check the data folder and list what is wrong with it, also while the server runs."`

	Audit auditCommand `cmd:"" help:"Print the audit log, one entry of JSON a line: who did what, when, and from where."`

	Healthy  healthyCommand  `cmd:"" help:"Check whether the server on this machine is ready; for container health checks."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
	Licences licencesCommand `cmd:"" help:"Print the licences of everything in this program."`
}

// streams are where a command writes: stdout is for results, stderr for what
// goes on.
type streams struct {
	stdout *output.Printed
	stderr io.Writer
}

// options are how the command line is read, and what commands are given.
func options(ctx context.Context, s streams) []kong.Option {
	return []kong.Option{
		kong.Name("server"), kong.Description("Collie: interactive image segmentation in the browser."),
		kong.ExplicitGroups([]kong.Group{{Key: "limits", Title: "Limits:", Description: "Sizes are written like 64MiB, times like 30s. docs/limits.md says what happens at each."}}),
		kong.Vars{"formats": strings.Join(export.FormatNames(), ",")},
		defaultLimits(), version.Flag, help.Command,
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(s),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	printed := &output.Printed{To: os.Stdout}
	command := kong.Parse(&commands{}, options(ctx, streams{printed, os.Stderr})...)
	err := command.Run()
	if err == nil && ctx.Err() == nil { // a server that was told to stop has done what it should
		err = printed.Err
	}
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "server:", err)
		stop()
		os.Exit(1)
	}
}
