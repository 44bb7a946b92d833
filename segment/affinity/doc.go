// Package affinity holds what is learned about superpixels: two logistic
// regressions that say how probable it is that two superpixels belong to the
// same class, one for neighbours, from what their border and their surroundings
// look like, and one for any two, which also knows the cheapest path between
// them over the borders.
//
// A Model is the numbers, a Scene the features of one image's graph, and a Field
// what a model says of a scene. All features come from the stored graph, no
// pixels are needed. None depends on the size of the image, on where in it a
// superpixel lies or on how far the frame is. The same graph and model give the
// same bits on every machine.
package affinity
