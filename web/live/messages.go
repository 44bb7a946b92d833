package live

import (
	"encoding/json"

	"collie/web/wire"
)

// The messages of the websocket /api/v1/images/{id}/socket are a contract with pages
// and other programs, which docs/socket.md describes.
//
// A page sends suppose when a button is pressed and evidence when it is released.
// Nothing is stored or broadcast, and no credit is used. The answer is the first
// hypothesis of the run that follows if the same label is sent.
//
// With rebase, evidence goes on top of others': of many people at one image each
// would otherwise overtake all others.

// clientMessage is any text frame from a client; Type says which fields count.
type clientMessage struct {
	Type    string          `json:"type"`
	Epoch   string          `json:"epoch,omitempty"`
	Seq     int             `json:"seq,omitempty"`
	Unacked []wire.Evidence `json:"unacked,omitempty"`
	Count   int             `json:"count,omitempty"`
	N       *int            `json:"n,omitempty"`
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

	Constraints *wire.Constraints `json:"constraints,omitempty"` // absent when there are none

	Guess *wire.Guess `json:"guess,omitempty"` // absent without one

	// Repairs are absent if they are the same as in the previous state sent to
	// this client. They come last because they are written piece by piece.
	Repairs []wire.Repair `json:"repairs,omitzero"`
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

// hereMessage names the other users who have the image open.
type hereMessage struct {
	Type   string   `json:"type"` // "here"
	People []string `json:"people"`
	More   int      `json:"more"` // others who are not named
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
