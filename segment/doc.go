// Package segment is Collie's domain: projects, classes, images, the evidence
// a person gives, the labelling that follows from it, and the engine that turns
// evidence into hypotheses.
//
// The way of one click: [Workspace.Append] checks the event against the state,
// has it stored durably, plays it on the image's [Timeline], and the next
// [Sequence] of hypotheses is made from the clicks that stand.
package segment
