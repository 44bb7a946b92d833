package web

import (
	"collie/segment/export/jobs"
	"collie/web/openapi"
	"collie/web/people"
	"collie/web/problem"
	"collie/web/query"
	"collie/web/wire"
)

// call documents a route: its purpose, its input and its output. Problems that
// any call of its kind can have are added by allProblems.
type call struct {
	id, summary string
	doc         string // details
	query       []query.Parameter
	takes       content
	sends       content
	status      int   // of success; 200 if not given
	parts       bool  // ranges and conditional requests are supported
	conditional bool  // conditional requests are, without ranges
	problems    []int // those not shared by all calls of its kind
}

// content is a body: for each media type an example value, whose type gives the
// schema.
type content map[string]any

func jsonOf(v any) content            { return content{"application/json": v} }
func fileOf(mediaType string) content { return content{mediaType: openapi.File{}} }

// uploaded are files in a form.
var uploaded = content{"multipart/form-data": filesForm{}}

// filesForm is a form with files.
type filesForm struct {
	Name string         `json:"filename,omitempty" doc:"before a file: its name, if it has a quotation mark, which browsers write as %22 with the file, or its path below the folder that is uploaded, such as \"day 1/beach.jpg\""`
	File []openapi.File `json:"file"`
}

// calls describes the routes for programs; those of pages are not here.
var calls = map[string]call{
	"GET /healthz": {id: "healthz", summary: "Whether the process answers", sends: content{"text/plain": ""}},
	"GET /readyz":  {id: "readyz", summary: "Whether work can be done", sends: content{"text/plain": ""}},
	"GET /metrics": {
		id: "getMetrics", summary: "The server's metrics for Prometheus",
		doc:   "Only for admins, and for API tokens of scope metrics or admin that an admin has created. docs/grafana.json is a dashboard for them.",
		sends: content{"text/plain": ""},
	},
	"GET /api/v1/openapi.json": {id: "getOpenAPI", summary: "This document", sends: jsonOf(map[string]any{})},

	"GET /api/v1/session": {id: "getSession", summary: "Who is signed in", sends: jsonOf(people.Session{})},
	"POST /api/v1/session": {
		id: "createSession", summary: "Sign in",
		doc:   "For programs. Send the token from the answer in the header \"Authorization: Bearer TOKEN\" with later requests, including websockets. A server without login answers 404.",
		takes: jsonOf(people.Credentials{}), sends: jsonOf(people.Session{}), status: 201, problems: []int{429},
	},
	"DELETE /api/v1/session": {
		id: "deleteSession", summary: "Sign out",
		doc:    "Ends the session and its websockets.",
		status: 204,
	},
	"GET /api/v1/tokens": {
		id: "listTokens", summary: "List your API tokens",
		doc:   "In order of creation, expired ones included. Needs a session: an API token can't do this. A server without login answers 404.",
		sends: jsonOf([]people.Token{}), problems: []int{403},
	},
	"POST /api/v1/tokens": {
		id: "createToken", summary: "Create an API token",
		doc:   "For scripts and Prometheus. Programs send the secret from the answer in the header \"Authorization: Bearer TOKEN\"; it is not kept and can't be shown again. The token acts for you within its scope until it expires, you revoke it, or your password changes. Needs a session: an API token can't do this.",
		takes: jsonOf(people.NewToken{}), sends: jsonOf(people.Token{}), status: 201, problems: []int{409},
	},
	"DELETE /api/v1/tokens/{id}": {
		id: "revokeToken", summary: "Revoke one of your API tokens",
		doc:    "From the next request on; its websockets end at once. Needs a session: an API token can't do this.",
		status: 204,
	},
	"POST /api/v1/sample": {
		id: "createSample", summary: "Create a project with the sample image",
		sends: jsonOf(sampleJSON{}), status: 201, problems: []int{429},
	},

	"GET /api/v1/projects": {id: "listProjects", summary: "List your projects, newest first", sends: jsonOf([]wire.Project{})},
	"POST /api/v1/projects": {
		id: "createProject", summary: "Create a project",
		doc:   "Without classes it gets background and object. Classes are numbered from 0 in the given order; a class without a colour is assigned one.",
		takes: jsonOf(newProjectJSON{}), sends: jsonOf(wire.Project{}), status: 201,
	},
	"GET /api/v1/projects/{id}": {id: "getProject", summary: "Read a project", sends: jsonOf(wire.Project{})},
	"PATCH /api/v1/projects/{id}": {
		id: "editProject", summary: "Rename a project or edit its classes",
		doc:   "Absent fields stay as they are. A list of classes is the complete new list: classes that are not in it are deleted. With base, the list that the edit is based on, the edit is refused with 409 if someone else has changed the classes since.",
		takes: jsonOf(projectEditJSON{}), sends: jsonOf(wire.Project{}), problems: []int{409},
	},
	"DELETE /api/v1/projects/{id}": {
		id: "trashProject", summary: "Move a project to the trash",
		doc:   "It can be restored for 30 days. The websockets of its images end with close code 4410.",
		query: []query.Parameter{emptyQuery}, status: 204,
	},
	"GET /api/v1/projects/{id}/classes": {
		id: "getClasses", summary: "The classes as a label set",
		query: []query.Parameter{labelSetQuery}, sends: content{"application/json": []labelJSON{}, "text/plain": ""},
	},
	"PUT /api/v1/projects/{id}/classes": {
		id: "putClasses", summary: "Replace the classes with a label set",
		doc:   "Classes are matched by name; a form can say which are renamed. Classes missing from the set are deleted; if labels use one of them, the set is refused with 409. In a form with base, the list that the set is based on, it is refused with 409 if someone else has changed the classes since.",
		query: []query.Parameter{labelSetQuery}, takes: content{"application/json": nil, "text/plain": "", "multipart/form-data": labelSetForm{}},
		sends: jsonOf(wire.Project{}), problems: []int{409},
	},
	"POST /api/v1/projects/{id}/classes/{class}/restore": {
		id: "restoreClass", summary: "Restore a deleted class",
		doc:   "Within 30 days of its deletion. The class is added at the end of the list and gets its labels back.",
		sends: jsonOf(wire.Project{}), problems: []int{422},
	},
	"GET /api/v1/projects/{id}/members": {
		id: "listMembers", summary: "List who has a role in a project",
		doc:   "By name. Admins can do everything in every project and need not be members. A server without login has no members and answers 404.",
		sends: jsonOf([]memberJSON{}),
	},
	"PUT /api/v1/projects/{id}/members/{user}": {
		id: "setMember", summary: "Give a user a role in a project",
		doc:   "For owners of the project and admins. The address ends with the name of the user, who becomes a member or gets another role, which counts from the next request on. A viewer can look and export; a reviewer can also review; an annotator can label, upload and export; an owner can do all this and change the project, its trash and its members. The only owner who isn't an admin can't give themselves another role: that is 409.",
		takes: jsonOf(newMemberJSON{}), sends: jsonOf(memberJSON{}), problems: []int{409},
	},
	"DELETE /api/v1/projects/{id}/members/{user}": {
		id: "removeMember", summary: "Remove a member from a project",
		doc:    "For owners of the project and admins. The user's open pages of the project are disconnected at once. What the user did stays. The only owner who isn't an admin can't remove themselves: that is 409.",
		status: 204, problems: []int{409},
	},
	"GET /api/v1/projects/{id}/images": {
		id: "listImages", summary: "List a project's images in order of upload",
		doc:   "The list is sent as it is read. With limit, and then with after as the id of the last image so far, it comes in parts: the last part is shorter than limit.",
		query: []query.Parameter{imageAfter, imageLimit},
		sends: jsonOf([]wire.Image{}),
	},
	"POST /api/v1/projects/{id}/images": {
		id: "uploadImages", summary: "Upload images",
		doc:   "One or more parts named file: JPEG, PNG, WebP, GIF, BMP or TIFF, or zip archives of such files, which are named after their paths in the archive. The answer has one entry per file, in order, including those in archives; a file that can't be used has status failed and a problem, and the others are kept. Whoever loses the right to upload meanwhile gets a problem with status 404 for the next file, and those after it are not in the answer. If no file can be used, the answer is the first file's problem, with all problems under files.",
		query: []query.Parameter{presentQuery}, takes: uploaded, sends: jsonOf(openapi.List{Item: openapi.OneOf{wire.Image{}, problem.File{}}}), status: 201,
	},
	"PUT /api/v1/projects/{id}/reviews": {
		id: "setReviews", summary: "Set the status of images by hand",
		doc:   "Of all the given images or, after an error, of none. Annotators can set todo, progress and done, and take the status away, except from approved images; reviewers can also approve and reject. A status by hand has no influence on hypotheses or labellings. 409 if an image has another status than the one in replaces. The answer has the images' records.",
		takes: jsonOf(newReviewJSON{}), sends: jsonOf([]wire.Image{}), problems: []int{409},
	},
	"PUT /api/v1/projects/{id}/assignments": {
		id: "assignImages", summary: "Say who is to work on images",
		doc:   "Of all the given images or, after an error, of none. Everyone who can set a status can assign images, to every member of the project who can. It gives nobody a right, and takes none away. Exports and backups of projects don't have it. 409 if an image has another assignee than the one in replaces. The answer has the images' records.",
		takes: jsonOf(newAssignmentJSON{}), sends: jsonOf([]wire.Image{}), problems: []int{409},
	},
	"PUT /api/v1/projects/{id}/trash": {
		id: "trashImages", summary: "Move images to the trash, or restore them",
		doc:   "All the given images or, after an error, none: 404 if one of them is not in the project or, to be restored, not in the trash, or if the project itself is in the trash: restore that first. 409 if the project would have more images than it can. They can be restored for 30 days. The websockets of images that go to the trash end with close code 4410.",
		takes: jsonOf(trashedJSON{}), status: 204, problems: []int{409},
	},
	"POST /api/v1/projects/{id}/imports": {
		id: "importMasks", summary: "Import masks made elsewhere",
		doc:   "One or more parts named file, each a separate data set: a zip archive or a single file with masks as PNG or TIFF (PASCAL VOC, Cityscapes, or with numbers=objects label images), COCO JSON (polygons or either kind of RLE), labelme JSON, Label Studio's JSON, XML of CVAT for images or, in an archive, outlines of YOLO. Masks are matched to images by file name; images that the project lacks are added from the data set; classes are matched by name, and missing ones that an imported mask uses are added, with the others of a labelmap.txt, of COCO's categories or of YOLO's names, unless the part mapping says what values become; then only classes that it names are added. Indices without a name are positions in the project's list of classes unless names=voc or a mapping says otherwise, and values in the answer says what each became. With review=true the answer says what the import would do, and nothing is stored. Each mask is one event in its image's evidence. Scores in .npz files named after an image become its first guess (columns are the project's classes in their order, or those that an array of text called classes names), and embeddings there, an array called embeddings, help to tell its superpixels apart. The answer reports on each mask, and on each file that can't be used, which a PNG, TIFF, .npz or .npy by itself is if its only mask or array can't be; if no file can, it is the first file's problem, with all problems under files.",
		query: []query.Parameter{numbersQuery, uncoveredQuery, namesQuery, reviewQuery}, takes: content{"multipart/form-data": importForm{}}, sends: jsonOf(importJSON{}), problems: []int{409},
	},
	"POST /api/v1/imports": {
		id: "importBackup", summary: "Create a project from a backup",
		doc:   "One or more parts named file, each a backup made by exporting in the format backup. Labellings are restored pixel by pixel. The answer has one entry per file, in order: the new project or, for a file that can't be used, the status failed and a problem. If no project could be created, the answer is the first file's problem.",
		takes: uploaded, sends: jsonOf(openapi.List{Item: openapi.OneOf{wire.Project{}, problem.File{}}}), status: 201,
	},

	"GET /api/v1/projects/{id}/learning": {
		id: "getLearning", summary: "What a project has learned from its finished images",
		doc:   "A project learns in the background once enough images are finished. Its guess for the next image works like imported scores: it gives hypotheses before the first click and is not part of the labelling.",
		sends: jsonOf(learningJSON{}),
	},
	"POST /api/v1/projects/{id}/guesses": {
		id: "prelabelProject", summary: "Make first guesses for all images that nobody has worked on",
		doc:   "In the background; GET /api/v1/projects/{id}/learning reports the progress and lists the images by expected work. If there is nothing to guess with, such as before a model is trained, detail says so. A guess is not a labelling: exports leave it out, and say so, unless their option guesses is set.",
		sends: jsonOf(learningJSON{}), status: 202,
	},

	"POST /api/v1/projects/{id}/exports": {
		id: "startExport", summary: "Start an export",
		doc:   "Options are those of ExportOptions; unknown ones are refused, so that a misspelling can't export something that nobody asked for. The export runs in the background; its status is at the address in Location. Exports run one at a time; if too many are waiting, the answer is 429.",
		takes: jsonOf(exportBody{}), sends: jsonOf(startedJSON{}), status: 202, problems: []int{429},
	},
	"GET /api/v1/exports/{id}": {
		id: "getExport", summary: "Get the status of an export",
		doc:   "Once the export is done, the status includes the report that is also in the archive: for each image the regions in, the regions out, and what is lossy and why. The server keeps the 20 newest files, 10 of one user, for up to 24 hours. An export that a restart of the server interrupted begins again.",
		sends: jsonOf(jobs.Status{}),
	},
	"DELETE /api/v1/exports/{id}": {
		id: "cancelExport", summary: "Cancel an export",
		doc:    "Stops a waiting or running export and removes what it has written, or removes the file of a finished one. The export no longer exists afterwards.",
		status: 204,
	},
	"GET /api/v1/exports/{id}/file": {
		id: "getExportFile", summary: "Download a finished export",
		sends: fileOf("application/zip"), parts: true,
	},

	"GET /api/v1/audit": {
		id: "getAudit", summary: "Read the audit log as JSON lines",
		doc:   "For admins. One entry a line, the oldest first: sign-ins and failed ones, users, members, projects, the trash, uploads, imports, exports, backups, and starts of the server with its settings. Entries never change and are kept for 400 days, of failed sign-ins the newest 100,000. To go on where an earlier answer ended, send its last number as after. Clicks are not in it: the evidence of an image says who made them.",
		query: []query.Parameter{people.AfterEntry}, sends: content{"application/x-ndjson": people.Entry{}},
	},
	"GET /api/v1/trash": {id: "listTrash", summary: "List the trash, latest first", sends: jsonOf([]wire.TrashItem{})},
	"POST /api/v1/trash/{id}/restore": {
		id: "restore", summary: "Restore a project, image or class from the trash",
		doc:   "If the image's project is also in the trash, restore the project first; until then the answer is 409. It is 409, too, for an image of a project that has as many images as it can, and 422 for a class whose name another class has by now.",
		sends: jsonOf(wire.TrashItem{}), problems: []int{409, 422},
	},

	"GET /api/v1/images/{id}": {id: "getImage", summary: "Read an image's record and progress", sends: jsonOf(wire.OpenImage{})},
	"DELETE /api/v1/images/{id}": {
		id: "trashImage", summary: "Move an image to the trash",
		doc:    "It can be restored for 30 days. Its websockets end with close code 4410.",
		status: 204,
	},
	"GET /api/v1/images/{id}/levels": {
		id: "getLevels", summary: "Get the range of values in the original",
		doc:   "On a scale from 0 to 65535 whatever the bit depth, over all colour channels. Use it to choose a window for the display copy of a 16-bit image.",
		sends: jsonOf(levelsJSON{}),
	},
	"GET /api/v1/images/{id}/display": {
		id: "getDisplay", summary: "Get the display copy",
		doc:   "At most 2,048 pixels on the long side, 2,560 of TIFF and PNG; upright, without metadata. Never changes. An image with 16 bits per channel is shown by its upper 8 bits; with low or high, the values from low to high are stretched over the whole range.",
		query: []query.Parameter{lowQuery, highQuery}, sends: fileOf("image/jpeg"), parts: true,
	},
	"GET /api/v1/images/{id}/thumbnail": {
		id: "getThumbnail", summary: "Get the thumbnail",
		doc:   "At most 320 pixels on the long side. Never changes.",
		sends: fileOf("image/jpeg"), parts: true,
	},
	"GET /api/v1/images/{id}/original": {
		id: "getOriginal", summary: "Download the original file",
		sends: fileOf("image/*"), parts: true,
	},
	"GET /api/v1/images/{id}/superpixels.png": {
		id: "getSuperpixelsPNG", summary: "Get the superpixel map as a 16-bit grey PNG",
		doc:   "Each pixel is the id of its superpixel; the size is that of the upright original. The map changes with the granularity and has the parts that fine labels divide superpixels into; its name is the ETag.",
		sends: fileOf("image/png"), parts: true, problems: []int{422},
	},
	"GET /api/v1/images/{id}/superpixels.bin": {
		id: "getSuperpixelsBin", summary: "Get the superpixel map as run lengths, gzip-encoded",
		doc:   "After decoding: 20 bytes of header, little-endian (magic CSPM, version uint8 = 1, three zero bytes, width, height and number of superpixels as uint32); then row by row pairs of unsigned LEB128 numbers (superpixel id, run length) whose lengths add up to the width. The map changes with the granularity and has the parts that fine labels divide superpixels into; its name is the ETag.",
		query: []query.Parameter{mapQuery},
		sends: fileOf("application/octet-stream"), parts: true,
	},
	"GET /api/v1/images/{id}/evidence": {
		id: "listEvidence", summary: "Read the evidence log",
		query: []query.Parameter{afterEventQuery, limitQuery, detailQuery}, sends: jsonOf(evidenceListJSON{}),
	},
	"POST /api/v1/images/{id}/evidence": {
		id: "appendEvidence", summary: "Append an event to the evidence",
		doc:   "When the answer arrives, the event is on disk. Sending the same id again returns the same number. If expected_seq is not the current number of events, or there is nothing to undo or redo, the answer is 409 with the current number as seq, and nothing is changed.",
		takes: jsonOf(wire.Evidence{}), sends: jsonOf(seqJSON{}), problems: []int{409},
	},
	"GET /api/v1/images/{id}/hypotheses": {
		id: "listHypotheses", summary: "Compute the sequence of hypotheses for the current evidence",
		doc:   "The sequence is deterministic: the same evidence gives the same hypotheses. It is empty while no class is in play, and has one hypothesis with one class in play.",
		query: []query.Parameter{countQuery}, sends: jsonOf(hypothesesJSON{}),
	},
	"GET /api/v1/images/{id}/guess": {
		id: "getGuess", summary: "Get the first guess as it is",
		doc:   "The most probable class of each superpixel, by imported scores, by what the project has learned or by the image that the guess was copied from. Hypotheses smooth it, which repairs a guess that is wrong in places and costs a good one its small objects. Clicks stay. To make it the labelling, send an accept event with the hypothesis {\"rank\": -1, \"offer\": {\"guess\": true}, \"digest\": \"…\"}. Without a guess, or with one that the clicks contradict, the answer is 422.",
		sends: jsonOf(guessedJSON{}), problems: []int{422},
	},
	"GET /api/v1/images/{id}/ladder": {
		id: "getLadder", summary: "Get nested masks from less to more of a class",
		doc:   "With two classes in play, one of which can be the rest. Each mask contains the one before it and is the exact optimum of the model with one class shifted. Clicks and accepted regions stay. To make rung n the labelling, send an accept event with the hypothesis {\"rank\": -1, \"offer\": {\"rung\": n}, \"digest\": \"…\"}. Otherwise the answer is 422.",
		sends: jsonOf(ladderJSON{}), problems: []int{422},
	},
	"GET /api/v1/images/{id}/alternatives": {
		id: "listAlternatives", summary: "Ask what would change along if superpixels had another class",
		doc:   "For each other class in play, the best labelling in which the superpixels have it; it differs from the first hypothesis only in what is joined to them. To make one the labelling, send an accept event with the hypothesis {\"rank\": -1, \"offer\": {\"superpixels\": […], \"class\": n}, \"digest\": \"…\"}.",
		query: []query.Parameter{superpixelsQuery}, sends: jsonOf(alternativesJSON{}), problems: []int{422},
	},
	"GET /api/v1/images/{id}/mask.png": {
		id: "getMask", summary: "Get a mask at the size of the upright original",
		query: []query.Parameter{ofQuery, rankQuery, afterMaskQuery, styleQuery}, sends: fileOf("image/png"), conditional: true,
	},
	"GET /api/v1/images/{id}/objects": {
		id: "listObjects", summary: "List the objects that have been told apart",
		doc:   "An instance event says that the finest superpixels at its points belong to one object of a class. A connected region of the class with marks of several objects is divided between them: each finest superpixel belongs to the one with the shortest way within the region, where contours in the image make ways longer. Regions with one number are one object. A mark counts while its superpixel has the class; regions without any are objects of their own, as in exports.",
		sends: jsonOf(objectsJSON{}), conditional: true,
	},
	"POST /api/v1/images/{id}/guess": {
		id: "guessImage", summary: "Give an image a first guess from its project's model",
		doc:   "The page does this when it opens an image. The guess is an event in the evidence, made by 'project', that can be undone, or removed by an event of kind guess; a newer model's guess replaces it while nobody has worked on the image. Images that somebody has worked on are left alone; with guessing off, the guess is taken back.",
		sends: jsonOf(guessJSON{}),
	},
	"POST /api/v1/images/{id}/copy": {
		id: "copyLabelling", summary: "Make the labelling of another image the first guess",
		doc:   "For the next image of a series or a film. The labelling of the other image of the same project is moved by the superpixels that match in colour, texture and place. It becomes a guess event, soft evidence like imported scores, which undo takes back. Later changes of the other image don't change it. A finished image is left alone, with a problem that says so.",
		takes: jsonOf(copyJSON{}), sends: jsonOf(seqJSON{}), problems: []int{409},
	},
	"GET /api/v1/images/{id}/socket": {
		id: "openSocket", summary: "Open the websocket of an image",
		doc:   "The client sends evidence and gets states and hypotheses; docs/socket.md has the messages, the frame of a hypothesis, and the close codes.",
		query: []query.Parameter{roleQuery}, status: 101, problems: []int{400, 403},
	},
}
