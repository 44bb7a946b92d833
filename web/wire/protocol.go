package wire

// This file is the contract with other programs; docs/socket.md has the messages of
// the websocket.
//
// # superpixels.bin
//
// A gzip-encoded body (Content-Encoding) of superpixels.Runs.MarshalBinary:
// a header of 20 bytes, little-endian, of magic "CSPM", version uint8 = 1,
// three zero bytes, width, height and the number of superpixels as uint32; then,
// row by row, pairs of unsigned LEB128 numbers (superpixel id, run length)
// whose lengths add up to the width.
//
// # Classes
//
// A class has an id, 0..254, that never changes and an index, its place in the
// project's list; in a new project the two are the same. Events, states,
// hypotheses and runs use ids. Exported masks hold indices.
//
// PATCH /api/v1/projects/{id} {classes, remap, base} takes the whole list in
// its new order. An entry with an id is that class, which keeps its name or
// colour if the entry lacks it; an entry without an id is a new class; classes
// not listed are deleted. remap {"3": 1} says that labels of class 3 now count
// as class 1, or with 255 as undecided; without it the deletion of a class that
// labels use is refused (409, with in_use {"3": images}). A list in which no
// entry has an id is matched by position and can't delete. Evidence is not
// rewritten: the deleted class is read as its replacement, and an entry with
// its id, or POST …/classes/{class}/restore, brings it back within 30 days.
// Pages that have an image of the project open are sent project, then state and
// run again, with the seq they had.
//
// base, beside classes, is the list that the new one is based on. If the
// project's list has changed since, nothing is changed and the answer is 409
// with the current project. PUT …/classes takes a label set or, for the same, a
// form whose part file is the set and whose part base is the list that it is to
// replace.
//
// # Fine labels
//
// An event of kind label {class, points: [[x, y]], fine: true, hypothesis: {rank,
// digest}} gives the class to the finest superpixel at the point, as a click on
// the page does; other labels give it to whole superpixels of the map. The
// superpixel at the point and its neighbours are then divided into finest
// superpixels, their parts, which hypotheses label one by one. In states,
// hypotheses and accepts the first part keeps the number of its superpixel, and
// the others are numbered after the last superpixel of the map; a state's parts
// say which finest superpixels they are. Labels, clears and exclusions name
// superpixels of the map, whose name and numbers don't change.
// superpixels.bin and superpixels.png show the parts; with ?of=whole they show
// the map without them. Until a hypothesis is accepted, the labelling has the
// class on the whole superpixel, unless that holds several labels or fine labels
// of other classes.
//
// hypothesis names the one that the person looked at: the first hypothesis of the
// new state then corrects it around the point. Without it, or when the server no
// longer knows it, a fine label continues the correction of the one before it, if
// there is one.
//
// # Offers
//
// Besides the hypotheses, three kinds of labellings follow from the evidence. GET
// …/guess has the first guess as it is, without what hypotheses smooth. GET …/ladder has nested masks from less to more of one of two classes: superpixel s
// has class on rung n if from[s] <= n, and other if not; best is where a slider
// starts. GET …/alternatives?superpixels=… answers 'what if these were …': for
// each class the best labelling in which they have it, and what changes along. An
// accept, or a fine label that corrects what was shown, takes an offer instead of a
// rank: hypothesis {rank: -1, digest, offer: {guess: true}}, {rank: -1, digest, offer:
// {rung}} or {rank: -1, digest, offer: {superpixels, class}}. With superpixels beside hypothesis, an accept takes only
// that region of it. The server computes the offer again and compares the digest,
// so 409 says that the evidence has changed. The log has the rank and the digest.
//
// # Pixel repairs
//
// An event of kind pixels {repairs: [{class, runs: [start, length, …]}]} gives
// single pixels a class, or 255 for undecided, whatever the superpixel under
// them has. Pixel (x, y) of the upright image is number y·width + x; runs can
// come in any order and cross the end of a row, and name each pixel once; one
// event has up to 100,000 of them (a message of the socket is limited to 64 KiB,
// a POST to 4 MiB). The last event about a pixel counts: a later label or clear of a
// superpixel removes the repairs within it, while an accept keeps them.
// Hypotheses do not see repairs. States, GET image and masks do: a state has
// all current repairs in the form of the event, in runs as long as possible, or
// no field repairs if they are the same as in the previous state on this
// socket.
//
// # Boxes, exclusions, locks
//
// An event of kind box {class, points: [[x, y], [x, y]]} says that the object
// of the class lies inside the rectangle with these corners and that outside of
// it is the rest: no hypothesis has the class there until something there is
// labelled or picked with it; without points the class's box is removed. exclude {class,
// superpixels|points} says that superpixels are not of a class, until they are
// labelled with it or cleared. lock {class} keeps what has the class from being
// painted over by labels, clears, accepts and pixels until unlock {class}: they
// are removed from an event, and an event with nothing left is refused. All
// four are steps that can be undone. A state has constraints {boxes: [{class,
// box: [left, top, right, bottom]}], excluded: [{class, superpixels}], locked:
// [class, …]}, or no such field when there are none.
//
// # Objects
//
// An event of kind instance {class, number, points} says that the finest
// superpixels at the points belong to object number 1, 2, … of the class, or,
// with number 0, that nothing is said of them any more. It is a step that can be
// undone, and changes no class. constraints then has objects: [{class, ranges:
// [[first, last], …]}] with the numbers that are in use; GET …/objects has their
// outlines. Clearing a superpixel or labelling it with another class takes its
// marks away.
//
// # Guesses
//
// A first guess is soft evidence: hypotheses start from it, and it is no labelling.
// It comes from scores that were imported, or by 'project' from what the project
// has learnt; a state then has guess {model, learnt, sure: [{class, area}]}. An
// event of kind guess, which has no other fields, removes the guess; it is a step
// that undo takes back.
//
// # History
//
// An event of kind restore {to} makes labelling, clicks, repairs and
// granularity what they were after event number to, 0 for the beginning; it is
// a step that can be undone like any other, so nothing in between is lost.
//
// GET evidence?after=&limit=&detail= lists events in order, up to limit of them
// (10,000 at most and by default); more says that further events follow. detail
// is summary (counts in place of lists, but for a box's corners), events (with
// superpixels, points and the runs of pixels events; the default) or full (with
// all runs, and the labels of hypotheses that were accepted as base64). An undo
// or redo names the event that it undoes or redoes. An event of kind import,
// which can't be sent, is a mask that was uploaded: a class per cell, which is
// a superpixel of the finest map, and repairs for the pixels that differ.
//
// # Granularity
//
// An event of kind granularity {regions} makes the superpixels coarser or
// finer, and an undo can take that back. Labels stay where they are: an image
// has as many superpixels as wanted, its clicks and its labelling are kept in
// terms of the finest ones, and a superpixel that would hold two labels stays
// divided. Numbers of superpixels, in events, states and hypotheses, are those
// of the current map, which map names; superpixels.bin and superpixels.png are
// that map and have its name in their ETag. An event with a map is refused
// ("map") unless it is the current one, so that a client who has not seen the
// new one yet can't label the wrong superpixels; points mean the same always.
