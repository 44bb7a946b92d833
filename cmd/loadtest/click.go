package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

// click is one that has not come to its end.
type click struct {
	press
	id           string
	superpixels  []int // the first is that under the press
	seq          int   // of its event
	acked        bool
	seen         bool // some hypothesis has come that knows of the press
	first, third bool // the hypothesis has come that knows of the label
}

// choose says what to click next, with a neighbour of its class if it is to be a
// drag and there is one; nil when there is nothing left.
func (pg *page) choose(rng *rand.Rand, drag bool) []int {
	pg.mu.Lock()
	defer pg.mu.Unlock()
	t := pg.target.truth
	i := t.next(pg.shown, pg.clicked, rng)
	if i < 0 {
		return nil
	}
	if drag {
		for _, j := range t.adjacent[i] {
			if t.class[j] == t.class[i] && !pg.clicked[j] {
				return []int{i, int(j)}
			}
		}
	}
	return []int{i}
}

// press asks what the label would lead to, where only the first superpixel is
// known now; not while an earlier label is still on its way.
func (pg *page) press(c *click) {
	pg.mu.Lock()
	expected := pg.seq
	c.seq = expected + 1
	pg.supposed = nil
	saved := !slices.ContainsFunc(pg.pending, func(o *click) bool { return !o.acked })
	if saved {
		pg.supposed = c
	}
	pg.mu.Unlock()
	if saved {
		pg.recorder.count("suppositions", c.up)
		pg.say(`{"type":"suppose","expected_seq":%d,"map":%q,"superpixels":[%d],"class":%d}`, expected, pg.mapName, c.superpixels[0], pg.class(c))
	}
}

// release tells the server the class of what was pressed.
func (pg *page) release(c *click) {
	class := pg.class(c)
	pg.mu.Lock()
	expected := pg.seq
	pg.seq++
	c.seq = pg.seq
	pg.pending = append(pg.pending, c)
	for _, i := range c.superpixels {
		pg.shown[i], pg.clicked[i] = class, true
	}
	seen := c.seen
	pg.mu.Unlock()
	pg.recorder.count("clicks", c.up)
	if seen {
		pg.recorder.count("seen before the release", c.up)
	}
	superpixels, _ := json.Marshal(c.superpixels) // whole numbers
	pg.say(`{"type":"evidence","id":%q,"expected_seq":%d,"kind":"label","map":%q,"superpixels":%s,"class":%d}`, c.id, expected, pg.mapName, superpixels, class)
}

// class is what the label of a click says.
func (pg *page) class(c *click) uint8 { return pg.target.truth.class[c.superpixels[0]] }
