// Package affinity predicts how probable it is that two superpixels belong to
// the same class, with two logistic regressions: one for neighbours, from their
// border and surroundings, and one for any two, which also uses the cheapest
// path between them over the borders.
//
// A Model is the weights, a Scene the features of one image's graph, and a
// Field a model's predictions for a scene. All features come from the stored
// graph, without pixels. None depends on the size of the image, the position of
// a superpixel in it or its distance from the frame. The same graph and model
// give the same bits on every machine.
package affinity
