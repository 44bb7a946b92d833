// Package segment is the vocabulary of Collie's domain: projects, classes,
// images, the events of the evidence log, errors for people, and the interfaces
// of a store.
//
// One click passes through the packages below: [collie/segment/workspace] holds
// the image open, [collie/segment/annotation] checks the event and has it stored
// durably, [collie/segment/timeline] plays it, and [collie/segment/engine] computes
// hypotheses from the current clicks.
package segment
