package web

import (
	"collie/segment/export/jobs"
	"collie/web/openapi"
	"collie/web/wire"
)

// call describes a route to programs: what it is for, takes and sends. What
// can go wrong with any call of its kind is added by problems.
type call struct {
	id, summary string
	doc         string // more about it
	query       []query
	takes       content
	sends       content
	status      int   // of success; 200 if not given
	parts       bool  // the file can be asked for in parts, or only if it has changed
	problems    []int // those that only some calls have
}

// content is a body: for each media type a value like what is sent.
type content map[string]any

func jsonOf(v any) content            { return content{"application/json": v} }
func fileOf(mediaType string) content { return content{mediaType: openapi.File{}} }

// uploaded are files in a form.
var uploaded = content{"multipart/form-data": filesForm{}}

// filesForm is a form with files.
type filesForm struct {
	File []openapi.File `json:"file"`
}

// calls describes the routes for programs; those of pages are not here.
var calls = map[string]call{
	"GET /healthz": {id: "healthz", summary: "Whether the process answers", sends: content{"text/plain": ""}},
	"GET /readyz":  {id: "readyz", summary: "Whether work can be done", sends: content{"text/plain": ""}},
	"GET /metrics": {
		id: "getMetrics", summary: "Figures of the server for Prometheus",
		doc:   "Only for admins. docs/grafana.json is a dashboard of them.",
		sends: content{"text/plain": ""}, problems: []int{404},
	},
	"GET /api/v1/openapi.json": {id: "getOpenAPI", summary: "This document", sends: jsonOf(map[string]any{})},

	"GET /api/v1/session": {id: "getSession", summary: "Who is signed in", sends: jsonOf(sessionJSON{})},
	"POST /api/v1/session": {
		id: "createSession", summary: "Sign in",
		doc:   "For programs. Send the token of the answer in the header \"Authorization: Bearer TOKEN\" of the following requests, websockets included. A server without login answers 404.",
		takes: jsonOf(credentialsJSON{}), sends: jsonOf(sessionJSON{}), status: 201, problems: []int{429},
	},
	"DELETE /api/v1/session": {
		id: "deleteSession", summary: "Sign out",
		doc:    "Ends the session of the request and its websockets.",
		status: 204,
	},
	"POST /api/v1/sample": {
		id: "createSample", summary: "Create a project with the sample image",
		sends: jsonOf(sampleJSON{}), status: 201, problems: []int{429},
	},

	"GET /api/v1/projects": {id: "listProjects", summary: "List the projects, newest first", sends: jsonOf([]wire.Project{})},
	"POST /api/v1/projects": {
		id: "createProject", summary: "Create a project",
		doc:   "Without classes it gets background and object. Indices count from 0 in the given order; a class without a colour gets one.",
		takes: jsonOf(newProjectJSON{}), sends: jsonOf(wire.Project{}), status: 201,
	},
	"GET /api/v1/projects/{id}": {id: "getProject", summary: "Read a project", sends: jsonOf(wire.Project{})},
	"PATCH /api/v1/projects/{id}": {
		id: "editProject", summary: "Rename a project or edit its classes",
		doc:   "Absent fields stay as they are. A list of classes is the complete new list: classes that are not in it are deleted. With base, the list as it was read, the edit is refused with 409 if someone else has changed the classes meanwhile.",
		takes: jsonOf(projectEditJSON{}), sends: jsonOf(wire.Project{}), problems: []int{409},
	},
	"DELETE /api/v1/projects/{id}": {
		id: "trashProject", summary: "Move a project to the trash",
		doc:    "It can be restored for 30 days.",
		status: 204,
	},
	"GET /api/v1/projects/{id}/classes": {
		id: "getClasses", summary: "The classes as a label set",
		query: []query{labelSetQuery}, sends: content{"application/json": []labelJSON{}, "text/plain": ""},
	},
	"PUT /api/v1/projects/{id}/classes": {
		id: "putClasses", summary: "Replace the classes with a label set",
		doc:   "Classes are matched by name. Those that the set lacks are deleted, which is refused with 409 while labels use one. In a form with base, the list as it was read, the set is refused with 409 if someone else has changed the classes meanwhile.",
		query: []query{labelSetQuery}, takes: content{"application/json": nil, "text/plain": "", "multipart/form-data": labelSetForm{}},
		sends: jsonOf(wire.Project{}), problems: []int{409},
	},
	"POST /api/v1/projects/{id}/classes/{class}/restore": {
		id: "restoreClass", summary: "Restore a deleted class",
		doc:   "Within 30 days. The class comes last in the list, and its labels count as this class again.",
		sends: jsonOf(wire.Project{}), problems: []int{422},
	},
	"GET /api/v1/projects/{id}/images": {id: "listImages", summary: "List a project's images in order of upload", sends: jsonOf([]imageJSON{})},
	"POST /api/v1/projects/{id}/images": {
		id: "uploadImages", summary: "Upload images",
		doc:   "One or many parts named file: JPEG, PNG, WebP, GIF, BMP or TIFF, or zip archives of such files, which are named by their paths in the archive. The answer has one entry per file, in order, including those in archives; a file that can't be used has status failed and a problem, and the others are kept. If no file can be kept, the answer is the problem of the first, with all of them under files.",
		takes: uploaded, sends: jsonOf(openapi.List{Item: openapi.OneOf{imageJSON{}, failedFileJSON{}}}), status: 201,
	},
	"POST /api/v1/projects/{id}/imports": {
		id: "importMasks", summary: "Import masks made elsewhere",
		doc:   "One or many parts named file, each a data set of its own: a zip archive or a single file, of palette PNGs (PASCAL VOC), COCO JSON with polygons or both kinds of RLE, or labelme JSON. Masks are matched to images by file name; photographs in the data set that the project lacks are added; classes are matched by name and missing ones added. Each mask is one step of its image's evidence. Scores in .npz files named like an image are its first guess. The answer says what became of each mask.",
		query: []query{uncoveredQuery}, takes: uploaded, sends: jsonOf(importJSON{}), problems: []int{409},
	},
	"POST /api/v1/imports": {
		id: "importBackup", summary: "Create a project from a backup",
		doc:   "One or many parts named file, each a backup as the export format backup writes it. Labellings are restored pixel by pixel. The answer has one entry per file, in order: the new project or, for a file that can't be used, the status failed and a problem. If no project could be made, the answer is the problem of the first file.",
		takes: uploaded, sends: jsonOf(openapi.List{Item: openapi.OneOf{wire.Project{}, failedFileJSON{}}}), status: 201,
	},

	"GET /api/v1/projects/{id}/learning": {
		id: "getLearning", summary: "What a project has learnt from its finished images",
		doc:   "A project learns in the background whenever enough images have been finished. Its guess for the next image is a first guess like imported scores: it gives hypotheses before the first click and is not part of the labelling.",
		sends: jsonOf(learningJSON{}),
	},
	"POST /api/v1/projects/{id}/guesses": {
		id: "prelabelProject", summary: "Make first guesses for all images that nobody has worked on",
		doc:   "In the background; GET /api/v1/projects/{id}/learning says how far it is, and lists the images in order of expected work. Guesses are not exported: an image has no labelling until a person accepts one.",
		sends: jsonOf(learningJSON{}), status: 202,
	},

	"POST /api/v1/projects/{id}/exports": {
		id: "startExport", summary: "Start an export",
		doc:   "The export is made in the background; its status is at the address in Location. Exports wait for each other; if too many wait, the answer is 429.",
		takes: jsonOf(exportBody{}), sends: jsonOf(startedJSON{}), status: 202, problems: []int{429},
	},
	"GET /api/v1/exports/{id}": {
		id: "getExport", summary: "Get the status of an export",
		doc:   "Once it is done, the status has the report that is also in the archive: regions in, regions out, and what is lossy and why, for each image. Files are kept for a day. An export that was interrupted because the server stopped has failed.",
		sends: jsonOf(jobs.Status{}),
	},
	"DELETE /api/v1/exports/{id}": {
		id: "cancelExport", summary: "Cancel an export",
		doc:    "A waiting or running export ends and leaves nothing behind; the file of a finished one is removed. From then on the export is not found.",
		status: 204,
	},
	"GET /api/v1/exports/{id}/file": {
		id: "getExportFile", summary: "Download a finished export",
		sends: fileOf("application/zip"), parts: true,
	},

	"GET /api/v1/trash": {id: "listTrash", summary: "List what is in the trash, latest first", sends: jsonOf([]trashJSON{}), problems: []int{404}},
	"POST /api/v1/trash/{id}/restore": {
		id: "restore", summary: "Restore a project, image or class from the trash",
		doc:   "An image whose project is in the trash as well needs that restored first; until then the answer is 409.",
		sends: jsonOf(trashJSON{}), problems: []int{409},
	},

	"GET /api/v1/images/{id}": {id: "getImage", summary: "Read an image's record and progress", sends: jsonOf(openImageJSON{})},
	"DELETE /api/v1/images/{id}": {
		id: "trashImage", summary: "Move an image to the trash",
		doc:    "It can be restored for 30 days.",
		status: 204,
	},
	"GET /api/v1/images/{id}/levels": {
		id: "getLevels", summary: "Get the range of values in the original",
		doc:   "On a scale from 0 to 65535 whatever the depth, over all colour channels: use them to choose a window for the display copy of a 16-bit image.",
		sends: jsonOf(levelsJSON{}),
	},
	"GET /api/v1/images/{id}/display": {
		id: "getDisplay", summary: "The copy that browsers show",
		doc:   "At most 2,560 pixels on the long side, upright, without metadata. Never changes. Of an image with 16 bits per channel the upper 8 are shown; with low or high, the values from low to high take the whole range.",
		query: []query{lowQuery, highQuery}, sends: fileOf("image/jpeg"), parts: true,
	},
	"GET /api/v1/images/{id}/thumbnail": {
		id: "getThumbnail", summary: "A small copy",
		doc:   "At most 320 pixels on the long side. Never changes.",
		sends: fileOf("image/jpeg"), parts: true,
	},
	"GET /api/v1/images/{id}/original": {
		id: "getOriginal", summary: "The file as it was uploaded, as an attachment",
		sends: fileOf("image/*"), parts: true,
	},
	"GET /api/v1/images/{id}/superpixels.png": {
		id: "getSuperpixelsPNG", summary: "The superpixel map as a 16-bit grey PNG",
		doc:   "Each pixel is the id of its superpixel; the size is that of the upright original. The map changes with the granularity; the ETag is its name.",
		sends: fileOf("image/png"), problems: []int{422},
	},
	"GET /api/v1/images/{id}/superpixels.bin": {
		id: "getSuperpixelsBin", summary: "The superpixel map as run lengths, gzip-encoded",
		doc:   "After decoding: 20 bytes of header, little-endian (magic CSPM, version uint8 = 1, three zero bytes, width, height and number of superpixels as uint32); then row by row pairs of unsigned LEB128 numbers (superpixel id, run length) whose lengths add up to the width. The map changes with the granularity; the ETag is its name.",
		sends: fileOf("application/octet-stream"), parts: true,
	},
	"GET /api/v1/images/{id}/evidence": {
		id: "listEvidence", summary: "Read the evidence log",
		query: []query{afterEventQuery, limitQuery, detailQuery}, sends: jsonOf(evidenceListJSON{}),
	},
	"POST /api/v1/images/{id}/evidence": {
		id: "appendEvidence", summary: "Append an event to the evidence",
		doc:   "When the answer arrives, the event is on disk. A repeat of the same id gets the same number. If expected_seq is not the present number of events, or there is nothing to undo or redo, the answer is 409 with the present number as seq, and nothing was changed.",
		takes: jsonOf(wire.Evidence{}), sends: jsonOf(seqJSON{}), problems: []int{409},
	},
	"GET /api/v1/images/{id}/hypotheses": {
		id: "listHypotheses", summary: "Run the sequence of hypotheses for the present evidence",
		doc:   "The sequence is deterministic: the same evidence gives the same hypotheses. It is empty without a click, and has one hypothesis if only one class was clicked.",
		query: []query{countQuery}, sends: jsonOf(hypothesesJSON{}),
	},
	"GET /api/v1/images/{id}/mask.png": {
		id: "getMask", summary: "A mask at the size of the upright original",
		query: []query{ofQuery, rankQuery, afterMaskQuery, styleQuery}, sends: fileOf("image/png"),
	},
	"POST /api/v1/images/{id}/guess": {
		id: "guessImage", summary: "Give an image the first guess that its project has learnt",
		doc:   "The page does so when it opens an image. It is an event of the evidence by 'project', which undo takes back; a newer model's guess takes its place as long as nobody has worked on the image. Nothing happens to other images, and in projects that are set not to guess.",
		sends: jsonOf(guessJSON{}), problems: []int{429},
	},
	"GET /api/v1/images/{id}/socket": {
		id: "openSocket", summary: "The websocket of the page",
		doc:    "Evidence goes up, states and hypotheses come down; the messages are documented in web/protocol.go.",
		status: 101, problems: []int{400, 403, 429},
	},
}
