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
	sent, acked  bool
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
	switch {
	case pg.shared && (i < 0 || rng.IntN(2) == 0): // they don't all see to the same mistake
		i = int(t.clickable[rng.IntN(len(t.clickable))])
	case i < 0:
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
	pg.pump()
}

// pump sends the labels of clicks that have not been sent: in an image that others work
// on, too, one at a time, because they can overtake it.
func (pg *page) pump() {
	pg.saying.Lock()
	defer pg.saying.Unlock()
	for {
		pg.mu.Lock()
		c := pg.unsent()
		if c == nil {
			pg.mu.Unlock()
			return
		}
		expected := pg.seq
		pg.seq++
		c.sent, c.seq = true, pg.seq
		pg.mu.Unlock()
		pg.send(c, expected)
	}
}

// unsent is the click to send next, or nil. The caller holds the lock.
func (pg *page) unsent() *click {
	for _, c := range pg.pending {
		switch {
		case !c.sent:
			return c
		case pg.shared && !c.acked:
			return nil
		}
	}
	return nil
}

// send sends the label of a click that expects a state. The caller holds saying.
func (pg *page) send(c *click, expected int) {
	superpixels, _ := json.Marshal(c.superpixels) // whole numbers
	pg.write(`{"type":"evidence","rebase":true,"id":%q,"expected_seq":%d,"kind":"label","map":%q,"superpixels":%s,"class":%d}`, c.id, expected, pg.mapName, superpixels, pg.class(c))
}

// class is what the label of a click says.
func (pg *page) class(c *click) uint8 { return pg.target.truth.class[c.superpixels[0]] }
