package live

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// company returns the here messages that wait for a socket.
func company(t *testing.T, c *socket) (heard []hereMessage) {
	t.Helper()
	for {
		next, ok := c.outbox.next()
		if !ok {
			return heard
		}
		var m hereMessage
		if !next.binary {
			if err := json.Unmarshal(next.body, &m); err != nil {
				t.Fatal(err)
			}
		}
		if m.Type == "here" {
			heard = append(heard, m)
		}
	}
}

func TestCompany(t *testing.T) {
	h := mustOpen(t, Limits{})
	im := h.image()
	r, err := h.hub.enter(h.owner(), im)
	if err != nil {
		t.Fatal(err)
	}
	defer r.leave()
	join := func(user string) *socket {
		v := visitor(user)
		v.Name = user
		c := &socket{outbox: newOutbox(), room: r, seat: &seat{ctx: h.owner(), visitor: v}}
		r.join(c)
		t.Cleanup(func() { r.part(c) })
		return c
	}
	heard := func(who string, c *socket, want ...hereMessage) {
		t.Helper()
		r.mu.Lock()
		defer r.mu.Unlock()
		if diff := cmp.Diff(want, company(t, c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", who, diff)
		}
	}
	alone := hereMessage{"here", []string{}, 0}

	bob := join("bob")
	heard("the first", bob, alone)
	ann := join("ann")
	heard("the second", ann, hereMessage{"here", []string{"bob"}, 0})
	heard("the first", bob, hereMessage{"here", []string{"ann"}, 0})
	tab := join("ann")
	heard("a second tab", tab, hereMessage{"here", []string{"bob"}, 0})
	heard("whose company is the same", bob)
	r.part(ann)
	heard("whose company has another tab", bob)

	for i := range 6 {
		join(fmt.Sprint("carl", i))
	}
	heard("among many", bob, hereMessage{"here", []string{"ann", "carl0", "carl1", "carl2", "carl3"}, 2})
	r.part(tab)
	heard("when one has left", bob, hereMessage{"here", []string{"carl0", "carl1", "carl2", "carl3", "carl4"}, 1})

	heard("without login", join(""))
}
