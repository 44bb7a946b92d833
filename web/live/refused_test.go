package live

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"collie/segment"
)

// Changes to a user or a session elsewhere are noticed at the next ping, and only
// activity extends a session.
func TestVisitorsAreChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		var gone atomic.Pointer[Farewell]
		uses := make(chan bool, 100)
		v := visitor("ann")
		v.Check = func(_ context.Context, used bool) error {
			uses <- used
			if bye := gone.Load(); bye != nil {
				return bye
			}
			return nil
		}
		c, err := h.dial(im, v)
		if err != nil {
			t.Fatal(err)
		}
		if <-uses {
			t.Error("a socket is used before it is open")
		}
		c.lives()
		time.AfterFunc(30*time.Second, func() { gone.Store(SignedOut) })
		if took := c.ends(CloseSignedOut); took != 40*time.Second {
			t.Errorf("the socket ends after %v, want 40 s: the second ping", took)
		}
		if first, second := <-uses, <-uses; !first || second {
			t.Errorf("used before the pings: %v, %v; want true, false", first, second)
		}
		if _, err := h.dial(im, v); err != error(SignedOut) {
			t.Errorf("a new socket of the old session: %v", err)
		}
		synctest.Wait()
		if n := h.hub.Sockets(); n != 0 {
			t.Errorf("%d sockets are open", n)
		}
	})
}

// Expelled users are disconnected at once, and nobody else is.
func TestExpel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		began := time.Now()
		tabs := map[string]*tab{}
		for _, user := range []string{"ann", "bob"} {
			c, err := h.dial(im, visitor(user))
			if err != nil {
				t.Fatal(err)
			}
			tabs[user] = c
		}
		h.hub.Expel(RoleChanged, func(v Visitor) bool { return v.User == "ann" })
		tabs["ann"].ends(CloseRoleChanged)
		tabs["bob"].lives()
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// An image that goes to the trash, alone or with its project, loses its sockets at
// once, and they can come back when it is restored.
func TestTrashed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im, other := h.image(), h.image()
		began := time.Now()
		page, neighbour := h.greet(im), h.greet(other)
		if err := h.workspace.TrashImage(h.owner(), im); err != nil {
			t.Fatal(err)
		}
		page.ends(CloseTrashed)
		neighbour.lives()
		if _, err := h.dial(im, visitor("ann")); segment.KindOf(err) != segment.NotFound {
			t.Errorf("a socket of an image in the trash: %v", err)
		}
		if _, err := h.workspace.Restore(h.owner(), im); err != nil {
			t.Fatal(err)
		}
		page = h.greet(im)
		page.lives()
		if err := h.workspace.TrashProject(h.owner(), h.project); err != nil {
			t.Fatal(err)
		}
		page.ends(CloseTrashed)
		neighbour.ends(CloseTrashed)
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// A user about whom there is news is checked at once, and nobody else.
func TestRecheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{})
		im := h.image()
		began := time.Now()
		changed := false
		tabs := map[string]*tab{}
		for _, user := range []string{"ann", "bob", "cleo"} {
			v := visitor(user)
			v.Check = func(context.Context, bool) error {
				if changed && user != "bob" { // of whom all is as it was
					return SignedOut
				}
				return nil
			}
			c, err := h.dial(im, v)
			if err != nil {
				t.Fatal(err)
			}
			tabs[user] = c
		}
		synctest.Wait()
		changed = true
		h.hub.Recheck("ann")
		h.hub.Recheck("bob")
		h.hub.Recheck("bob")
		tabs["ann"].ends(CloseSignedOut)
		tabs["bob"].lives()
		tabs["cleo"].lives()
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// The number of sockets is limited, and no user can take all places.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mustOpen(t, Limits{Sockets: 5, UserSockets: 2})
		im := h.image()
		var last *tab
		for i, c := range []struct {
			user string
			kind segment.Kind
		}{{"ann", 0}, {"ann", 0}, {"ann", segment.Busy}, {"bob", 0}, {"", 0}, {"", 0}, {"", segment.Busy}, {"bob", segment.Busy}} {
			got, err := h.dial(im, visitor(c.user))
			if segment.KindOf(err) != c.kind || (err != nil) != (c.kind != 0) {
				t.Errorf("socket %d, of %q: %v, want kind %v", i, c.user, err, c.kind)
			}
			if got != nil {
				last = got
			}
		}
		last.conn.Close()
		synctest.Wait()
		if _, err := h.dial(im, visitor("bob")); err != nil {
			t.Errorf("after one has left: %v", err)
		}
		h.hub.Close()
		if _, err := h.dial(im, visitor("")); segment.KindOf(err) != segment.Unavailable {
			t.Errorf("while the hub closes: %v", err)
		}
		if _, err := h.dial(fmt.Sprint(im, "x"), visitor("")); err == nil {
			t.Error("an unknown image has a socket")
		}
	})
}
