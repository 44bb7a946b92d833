package blob

import (
	"testing"

	"collie/storage/storagetest"
)

func openAt(tb testing.TB, place string) storagetest.Blobs {
	tb.Helper()
	s, err := Open(place)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestBlobs(t *testing.T) { storagetest.TestBlobs(t, openAt) }

func TestKilled(t *testing.T) { storagetest.TestKilledBlobs(t, openAt) }

func TestDiskFull(t *testing.T) { storagetest.TestFullBlobs(t, openAt) }
