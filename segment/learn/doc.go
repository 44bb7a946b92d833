// Package learn trains a project's model on its own finished images: a small
// classifier of superpixels whose prediction for the next image is a first
// guess at its labelling.
//
// An image is described by Features, 123 bytes per superpixel of its
// default granularity, computed from the stored graph and hierarchy and from
// local patterns of the pixels. A forest of extremely randomised trees (Geurts,
// Ernst, Wehenkel 2006, doi:10.1007/s10994-006-6226-1) predicts the class of
// each superpixel; two later ones also see what the one before says nearby, at
// coarser levels and at fixed offsets (auto-context, Tu and Bai 2010,
// doi:10.1109/TPAMI.2009.186). Each tree leaves out a third of the images, so
// the trees that have not seen an image give an out-of-bag prediction for it.
// Calibration, the classes in play and the strength of the guess are chosen by
// these predictions.
//
// Training is deterministic: the same images in the same order give the same
// model on any machine.
package learn
