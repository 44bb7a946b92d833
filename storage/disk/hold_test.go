package disk_test

import (
	"strings"
	"testing"

	"collie/storage/disk"
)

// Two servers never serve one folder, and the second one learns who does.
func TestHold(t *testing.T) {
	folder := t.TempDir()
	first, err := disk.Hold(folder, "127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	if second, err := disk.Hold(folder, "127.0.0.1:8081"); err == nil || !strings.Contains(err.Error(), "listening on 127.0.0.1:8080") {
		t.Errorf("the second server was told %v", err)
		if err == nil {
			second.Close()
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := disk.Hold(folder, "127.0.0.1:8082")
	if err != nil {
		t.Fatal(err)
	}
	if err := third.Close(); err != nil {
		t.Error(err)
	}
}
