package main

import (
	"fmt"

	"collie/segment"
)

// images counts images.
func images(n int) string { return segment.Counted(n, "image") }

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return segment.Counted(int(n), "byte")
}
