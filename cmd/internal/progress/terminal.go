package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"collie/cmd/internal/output"
	"collie/cmd/internal/version"
)

// Terminal is where a command talks to people.
type Terminal struct {
	Ctx context.Context // ends when the command is interrupted
	Out io.Writer       // for figures
	Bar io.Writer       // for the progress bar; nil when nobody would see it move
}

// Table returns a table on Out, whose cells end with tabs. Flush it.
func (t *Terminal) Table() *tabwriter.Writer {
	return tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// noEmptyList refuses flags for lists that are given without a value, such as
// --methods=$M where M is not set.
func noEmptyList(command *kong.Context) error {
	for _, p := range command.Path {
		if p.Flag != nil && p.Flag.Target.Kind() == reflect.Slice && p.Flag.Target.Len() == 0 {
			return fmt.Errorf("--%s needs a value", p.Flag.Name)
		}
	}
	return nil
}

// Main reads the command line into commands, as kong does, and runs the command
// with a *Terminal. An error ends the program, and so does output that could not be
// printed, at the end.
func Main(name string, commands any, options ...kong.Option) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)   // a second signal ends the program at once
	signal.Ignore(syscall.SIGPIPE) // a pipe to head that has seen enough: files are still written
	printed := &output.Printed{To: os.Stdout}
	t := &Terminal{Ctx: ctx, Out: printed}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		t.Bar = os.Stderr
	}
	command := kong.Parse(commands, append([]kong.Option{kong.Name(name), version.Flag}, options...)...)
	err := noEmptyList(command)
	if err == nil {
		err = command.Run(t)
	}
	if err == nil {
		err = printed.Err
	}
	if err != nil {
		switch {
		case errors.Is(err, syscall.EPIPE):
			os.Exit(128 + int(syscall.SIGPIPE)) // silently, like other programs
		case errors.Is(err, context.Canceled):
			err = errors.New("interrupted")
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		stop()
		os.Exit(1)
	}
}
