package schedule

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Long and heavy work runs on a thread of low priority, and no other work ever does.
func TestLongIsNice(t *testing.T) {
	nice := func() string {
		b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", syscall.Gettid()))
		if err != nil {
			t.Error(err)
			return ""
		}
		_, after, _ := strings.Cut(string(b), ") ")
		return strings.Fields(after)[16]
	}
	usual := nice()
	if usual != "0" {
		t.Skipf("this process has niceness %s itself", usual)
	}
	s := New(Limits{Workers: 2})
	var long string
	if err := s.Long(t.Context(), func() { long = nice() }); err != nil {
		t.Fatal(err)
	}
	if long != fmt.Sprint(niceness) {
		t.Errorf("long work has niceness %s, want %d", long, niceness)
	}
	for class, want := range map[Class]string{Later: usual, Later | Heavy: fmt.Sprint(niceness)} {
		var got string
		if err := s.Do(t.Context(), class, "user", func() { got = nice() }); err != nil || got != want {
			t.Errorf("a step of class %d has niceness %s, %v; want %s", class, got, err, want)
		}
	}
	for range 100 {
		done := make(chan string)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			done <- nice()
		}()
		if got := <-done; got != usual {
			t.Fatalf("another goroutine runs with niceness %s", got)
		}
	}
}
