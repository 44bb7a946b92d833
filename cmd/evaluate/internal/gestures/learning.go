package gestures

import (
	"cmp"
	"hash/fnv"

	"collie/cmd/evaluate/internal/flags"
	"collie/cmd/internal/progress"
	"collie/cmd/internal/training"
	"collie/segment/chooser"
)

// Learning has the flags of the commands that learn a chooser.
type Learning struct {
	Regions int    `default:"600" help:"Superpixels of an image."`
	Out     string `type:"path" placeholder:"FILE" help:"Write the networks as Go source."`
}

// check refuses flags that can't work; passes is --passes.
func (l *Learning) check(passes int) error {
	return cmp.Or(flags.Regions(l.Regions), flags.AtLeast("--passes", 1, passes), progress.ResultFile("--out", l.Out))
}

// write writes what a command learns from all its questions, if that is wanted, as the Go
// variable of the given name.
func (l *Learning) write(t *progress.Terminal, name, command string, learn func() *chooser.Chooser) error {
	if l.Out == "" {
		return nil
	}
	var c *chooser.Chooser
	err := t.Each("training on all", 1, func(int) error {
		c = learn()
		return t.Ctx.Err()
	})
	if err != nil {
		return err
	}
	source, err := training.Source(c, name, command)
	if err != nil {
		return err
	}
	return progress.WriteResult(l.Out, source)
}

// half is which half of the images one belongs to.
func half(id string) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() >> 7 & 1)
}

// eachHalf learns from each half of the images.
func eachHalf(t *progress.Terminal, label string, learn func(half int) *chooser.Chooser) (learned [2]*chooser.Chooser, err error) {
	err = t.Each(label, len(learned), func(h int) error {
		learned[h] = learn(h)
		return t.Ctx.Err()
	})
	return learned, err
}
