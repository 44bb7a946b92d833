package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// Terminal is where a command talks to people.
type Terminal struct {
	Ctx context.Context // ends when the command is interrupted
	Out io.Writer       // for figures
	Bar io.Writer       // for the progress bar; nil when nobody would see it move
}

// Each calls do for 0 to n-1 on all cores, see the function Each.
func (t *Terminal) Each(what string, n int, do func(i int) error) error {
	return Each(t.Ctx, t.Bar, what, n, do)
}

// Main reads the command line into commands, as kong does, and runs the command
// with a *Terminal. An error ends the program.
func Main(name string, commands any, options ...kong.Option) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	t := &Terminal{Ctx: ctx, Out: os.Stdout}
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		t.Bar = os.Stderr
	}
	command := kong.Parse(commands, append([]kong.Option{kong.Name(name)}, options...)...)
	if err := command.Run(t); err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		stop()
		os.Exit(1)
	}
}
