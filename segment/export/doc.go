// Package export writes a project, or some of its images, in the formats that
// other programs read. [Write] is the one way in, for the page, the JSON
// interface and the command line alike: it streams a zip archive and returns
// the report that the archive holds, too. mask.go has single pictures.
//
// Everything is made from the labelling per pixel, in the frame in which the
// image is displayed and at its original size. Its regions are connected
// components of equal class, where pixels are neighbours that share a side
// (4-connectivity); undecided pixels belong to none. The same input gives the
// same bytes.
package export
