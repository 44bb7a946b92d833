package main

import (
	"fmt"
	"io"
	"strings"
)

const barWidth = 40

// progressLine is one line on a terminal that shows how far something is.
type progressLine struct {
	to          io.Writer // nil: nobody looks
	what        string
	done, total int
}

func newProgressLine(to io.Writer, what string, total int) *progressLine {
	return &progressLine{to: to, what: what, total: total}
}

// add moves the bar on by n, with a word on what goes on.
func (p *progressLine) add(n int, words ...any) {
	p.done += n
	if p.to == nil {
		return
	}
	full := barWidth * min(p.done, p.total) / p.total
	fmt.Fprintf(p.to, "\r%s [%s%s] %s\x1b[K", p.what, strings.Repeat("#", full), strings.Repeat("-", barWidth-full), fmt.Sprint(words...))
}

func (p *progressLine) clear() {
	if p.to != nil {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
