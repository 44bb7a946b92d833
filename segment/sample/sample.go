// Package sample holds Collie's sample image, so that a person can try Collie
// before finding an image of their own, and its ground truth. The program
// cmd/internal/stilllife renders both.
package sample

import (
	_ "embed"

	"collie/segment"
)

//go:generate go run ../../cmd/internal/stilllife .

// Names for people.
const (
	Project = "Sample"             // a project made for the photograph
	Name    = "fruit and bowl.png" // the photograph's file
)

var (
	// Photograph is an RGB PNG of 960 × 640 pixels.
	//go:embed photograph.png
	Photograph []byte
	// Mask is the ground truth: an 8-bit palette PNG of the same size whose
	// pixels are indices into [Classes]. A pixel on a border has the class that
	// covers the largest part of it.
	//go:embed mask.png
	Mask []byte
)

// Classes are the classes of the image, each in a colour close to its object's.
// The caller must not change them.
var Classes = []segment.Class{
	{ID: 0, Name: "background", Color: "#5b6b7f"},
	{ID: 1, Name: "table", Color: "#a0622d"},
	{ID: 2, Name: "cloth", Color: "#c3d4f5"},
	{ID: 3, Name: "bowl", Color: "#2b5f9e"},
	{ID: 4, Name: "apple", Color: "#d62f3a"},
	{ID: 5, Name: "orange", Color: "#f5901d"},
	{ID: 6, Name: "pear", Color: "#bccc2e"},
	{ID: 7, Name: "jug", Color: "#e3d3a8"},
}
