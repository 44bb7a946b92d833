package export

import (
	"runtime/debug"
	"strings"

	"collie/segment/export/zipfile"
)

// Report describes what an export contains and what it could not represent. With
// complete lists it is manifest.json in the archive.
type Report struct {
	Tool       Tool                 `json:"tool"`
	Format     string               `json:"format"`
	Parameters Options              `json:"parameters" doc:"with the defaults filled in"`
	Project    ProjectReport        `json:"project"`
	RegionsIn  int                  `json:"regions_in"`
	RegionsOut int                  `json:"regions_out"`
	Lossy      int                  `json:"lossy" doc:"number of images that are not exact"`
	Guesses    int                  `json:"guesses" doc:"number of images whose labels are a guess that nobody has accepted"`
	LeftOut    int                  `json:"guesses_left_out" doc:"number of images with such a guess, which was not exported"`
	Damaged    int                  `json:"damaged" doc:"number of images that are not in the archive, or not with their picture, because the server's files of them are lost or damaged"`
	Exported   int                  `json:"exported" doc:"number of images in the archive"`
	Omitted    int                  `json:"omitted" doc:"number of images that were left out"`
	Images     []ImageReport        `json:"images" doc:"the first 10,000 in the archive; manifest.json lists all"`
	Skipped    []SkippedImage       `json:"skipped" doc:"the first 10,000 that were left out; manifest.json lists all"`
	Files      []zipfile.FileReport `json:"files,omitempty" doc:"in manifest.json: all but itself"`
}

// Tool is the program that made the export.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ProjectReport names the project and its classes.
type ProjectReport struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Classes []ClassReport `json:"classes"`
}

// ClassReport is a class as the exported files number it.
type ClassReport struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	Color string `json:"color"`
}

// ImageReport is the report on one image.
type ImageReport struct {
	ID        string `json:"id"`
	Name      string `json:"name" doc:"as uploaded"`
	Stem      string `json:"stem" doc:"what its files are called"`
	Split     string `json:"split,omitempty" doc:"the set that it is in; absent without a split" schema:"enum=train|val|test"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Status    string `json:"status" doc:"untouched, started or done"`
	Guess     string `json:"guess,omitempty" doc:"of an image with a guess that nobody has accepted, whether its labels are the guess; absent for others" schema:"enum=exported|left-out"`
	Damaged   bool   `json:"damaged,omitempty" doc:"whether its picture is missing because the server's file is lost or damaged"`
	Undecided int    `json:"undecided" doc:"pixels"`

	RegionsIn  int    `json:"regions_in" doc:"connected regions of one class"`
	RegionsOut int    `json:"regions_out" doc:"how many of them the files contain"`
	Lossy      string `json:"lossy" doc:"what is not exact and why; empty if the image is exact"`
	Note       string `json:"note,omitempty"`
}

// SkippedImage is an image that is not in the export.
type SkippedImage struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Why  string `json:"why"`

	Damaged bool `json:"damaged,omitempty" doc:"whether the reason is that the server's files of it are lost or damaged"`
}

// sentences joins the remarks on an image.
func sentences(list []string) string { return strings.Join(list, " ") }

// version is the program's version, if known.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
