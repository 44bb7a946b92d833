package live

import (
	"encoding/json"

	"collie/web/wire"
)

// This file is the contract with pages and other programs that open the
// websocket /api/v1/images/{id}/socket.
//
// # Socket, client to server (text frames, JSON, "type" first)
//
//	hello    {epoch, seq, unacked:[evidence…]}  first message; epoch "" and seq 0 when new
//	evidence {id, expected_seq, kind, map, superpixels|points, class, number, hypothesis, regions, repairs, to, rebase}
//	run      {count}                            restart the sequence, 1..100 hypotheses
//	stop     {}                                 end the running sequence
//	credit   {n}                                once sent, only n more hypotheses come until the next
//	suppose  {expected_seq, map, superpixels|points, class, fine, hypothesis}  asks for the first hypothesis with this label
//
// # Socket, server to client
//
//	state  {epoch, seq, clicks, labels, undo, redo,
//	        map, regions, wanted, finest, split, parts,
//	        repairs, constraints, guess}        after hello and after every event, by anyone
//	project {project}                           the classes have changed; project is as in GET project
//	reviewed {}                                 the image was given a status by hand, see GET image
//	ack    {id, seq}                            the event is on disk as number seq
//	reject {id, reason, detail, seq}            it is not; reason is "stale", "map", "invalid" or "unavailable"
//	run    {run, seq, count, classes, refuted}  a sequence starts; earlier runs are superseded
//	done   {run, reason, detail, marked}        reason: complete, one-class, no-evidence, stopped, superseded, busy (it starts again by itself), failed
//	lost   {detail}                             the database has lost events of this image; the state that follows is what it has
//	error  {detail}                             a message could not be understood; nothing was changed
//	binary                                      a hypothesis, see HypothesisFrame; of run 0 the answer to suppose
//
// clicks and labels are standard base64 of one byte per superpixel, the regions of
// the map and then the parts: a class id, or 255 for none.
//
// With rebase, evidence goes on top of whatever others have done meanwhile, instead of
// being rejected as stale and sent again: of many people at one image each would
// overtake all others.
//
// # Close codes
//
//	1012  the server restarts: connect again
//	4401  the session has ended: sign in first
//	4403  the user's role has changed, or is not that of the query: connect again, with what the new one allows
//	4404  the user is no longer a member of the project
//	4410  the image is in the trash, from which it can come back
//
// # Suppositions
//
// A page sends suppose when a button is pressed and evidence when it is
// released. Nothing is stored or broadcast, and no credit is used. The answer
// is one hypothesis of run 0 for seq expected_seq + 1, or nothing if the state
// has changed or the server has no time. It is the first hypothesis of the run
// that follows if the same label is sent.

// clientMessage is any text frame from a client; Type says which fields count.
type clientMessage struct {
	Type    string          `json:"type"`
	Epoch   string          `json:"epoch,omitempty"`
	Seq     int             `json:"seq,omitempty"`
	Unacked []wire.Evidence `json:"unacked,omitempty"`
	Count   int             `json:"count,omitempty"`
	N       int             `json:"n,omitempty"`
	Rebase  bool            `json:"rebase,omitempty"`
	wire.Evidence
}

type stateMessage struct {
	Type   string `json:"type"` // "state"
	Epoch  string `json:"epoch"`
	Seq    int    `json:"seq"`
	Clicks []byte `json:"clicks"`
	Labels []byte `json:"labels"`
	Undo   int    `json:"undo"` // steps that can be undone
	Redo   int    `json:"redo"`

	Map     string `json:"map"`     // name of the superpixel map
	Regions int    `json:"regions"` // number of superpixels
	Wanted  int    `json:"wanted"`  // number of superpixels requested
	Finest  int    `json:"finest"`  // largest possible number
	Split   int    `json:"split"`   // superpixels that stay divided because they hold two classes

	Parts []int32 `json:"parts,omitempty"` // finest superpixels that fine labels have separated: number regions+i is parts[i]

	// Repairs are absent if they are the same as in the previous state sent to
	// this client.
	Repairs []wire.Repair `json:"repairs,omitzero"`

	Constraints *wire.Constraints `json:"constraints,omitempty"` // absent when there are none

	Guess *wire.Guess `json:"guess,omitempty"` // absent without one
}

// projectMessage announces a change of the project's classes.
type projectMessage struct {
	Type    string       `json:"type"` // "project"
	Project wire.Project `json:"project"`
}

// reviewedMessage announces that the image was given a status by hand.
type reviewedMessage struct {
	Type string `json:"type"` // "reviewed"
}

type ackMessage struct {
	Type string `json:"type"` // "ack"
	ID   string `json:"id"`
	Seq  int    `json:"seq"`
}

type rejectMessage struct {
	Type   string `json:"type"` // "reject"
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	Seq    int    `json:"seq"`
}

type runMessage struct {
	Type    string `json:"type"` // "run"
	Run     uint32 `json:"run"`
	Seq     int    `json:"seq"`
	Count   int    `json:"count"`
	Classes []int  `json:"classes"` // ids of the classes in play

	Refuted bool `json:"refuted,omitempty"` // clicks contradict the first guess so much that it counts for nothing
}

type doneMessage struct {
	Type   string `json:"type"` // "done"
	Run    uint32 `json:"run"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
	Marked int    `json:"marked,omitempty"` // rank of the hypothesis with the best expected mean IoU if one of them is the truth
}

type lostMessage struct {
	Type   string `json:"type"` // "lost"
	Detail string `json:"detail"`
}

type errorMessage struct {
	Type   string `json:"type"` // "error"
	Detail string `json:"detail"`
}

// encode marshals one of our messages, which can't fail.
func encode(message any) []byte {
	b, err := json.Marshal(message)
	if err != nil {
		panic("web: " + err.Error())
	}
	return b
}
