// Package export writes a project, or some of its images, in the formats that
// other programs read. [Write] serves the page, the JSON interface and the
// command line alike: it streams a zip archive and returns the report that the
// archive also contains. Package zipfile writes the archive; package jobs runs
// exports in the background; package mask writes single masks.
//
// All files are made from the labelling per pixel, upright and at the image's
// original size. Its regions are connected components of equal class
// (4-connectivity); undecided pixels belong to none. The same input gives the
// same bytes.
package export
