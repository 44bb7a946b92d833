package accounts

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle(5, 15*time.Minute)
		for i := range 5 {
			if _, wait := th.try("ann"); wait != 0 {
				t.Errorf("try %d waits %v", i, wait)
			}
			time.Sleep(time.Minute)
		}
		if _, wait := th.try("ann"); wait != 10*time.Minute {
			t.Errorf("the sixth try waits %v, want 10 minutes", wait)
		}
		if _, wait := th.try("bob"); wait != 0 {
			t.Errorf("somebody else waits %v", wait)
		}
		time.Sleep(10 * time.Minute)
		at, wait := th.try("ann")
		if wait != 0 {
			t.Errorf("after 15 minutes the try waits %v", wait)
		}
		if _, wait := th.try("ann"); wait != time.Minute {
			t.Errorf("the next one waits %v, want 1 minute", wait)
		}
		th.forgive("ann", at)
		if _, wait := th.try("ann"); wait != 0 {
			t.Errorf("after one was forgiven the try waits %v", wait)
		}
		th.forget("ann")
		for range 5 {
			if _, wait := th.try("ann"); wait != 0 {
				t.Errorf("after all were forgotten a try waits %v", wait)
			}
		}
		time.Sleep(16 * time.Minute)
		th.try("cleo")
		if len(th.tries) != 1 {
			t.Errorf("%d names are kept, want only the one of now", len(th.tries))
		}
	})
}
