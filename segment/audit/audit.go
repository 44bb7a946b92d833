// Package audit records who did what, when, and from where: the entries of the
// audit log, and how a change carries its entry to the store that writes both
// at once.
package audit

import (
	"context"
	"time"

	"collie/segment/access"
)

// Action is what was done.
type Action string

// The actions. They don't include changes of evidence, which itself records who
// made them.
const (
	SignedIn     Action = "session.begin"
	SignInFailed Action = "session.refused" // a wrong password, or not let in by OpenID Connect; tries beyond the limits are not recorded
	SignedOut    Action = "session.end"

	UserAdded       Action = "user.add"
	UserInvited     Action = "user.invite" // to choose their password
	UserRole        Action = "user.role"
	UserPassword    Action = "user.password"
	UserRemoved     Action = "user.remove"
	UserLinked      Action = "user.link" // to an account at an OpenID provider
	UserUnlinked    Action = "user.unlink"
	TokenCreated    Action = "token.create"
	TokenRevoked    Action = "token.revoke"
	MemberSet       Action = "member.set"
	MemberRemoved   Action = "member.remove"
	ProjectCreated  Action = "project.create"
	ProjectEdited   Action = "project.edit" // its name, classes or settings
	ProjectTrashed  Action = "project.trash"
	ProjectRemoved  Action = "project.remove" // one without images, for good
	ImageTrashed    Action = "image.trash"
	ImagesTrashed   Action = "images.trash"
	ImagesRestored  Action = "images.restore"
	Restored        Action = "trash.restore"
	Erased          Action = "trash.erase"
	ImagesReviewed  Action = "images.review" // with the status; the image has the comment
	ImagesAssigned  Action = "images.assign" // with who is to work on them
	ImagesUploaded  Action = "images.upload"
	MasksImported   Action = "masks.import"
	BackupImported  Action = "backup.import"
	ExportStarted   Action = "export.start"
	ExportFetched   Action = "export.download"
	ExportCancelled Action = "export.cancel"
	LogFetched      Action = "audit.download"

	ServerStarted  Action = "server.start" // with its settings
	ServerBackedUp Action = "server.backup"
	ServerRestored Action = "server.restore"
	ServerRepaired Action = "server.repair"
	ServerMoved    Action = "server.move" // of files or records, from where and to where
)

// How long entries are kept. Strangers can cause any number of failed sign-ins,
// so these are limited by number and can't push other entries out.
const (
	Days     = 400
	Failures = 100_000
)

// Entry is one recorded action.
type Entry struct {
	Number  int64 // ascending in the order of writing, never used twice; set by the store
	At      time.Time
	User    string // identifier; empty for the operator of the machine and for strangers
	Name    string // of the user at that time
	Address string // from where; empty on the machine itself
	Action  Action
	About   string // identifier of what it was done to; empty for the server
	Detail  string

	// The API token that it was done with; empty for people.
	Token     string // identifier
	TokenName string // at that time
}

// New returns an entry for an action of ctx's principal at this moment.
func New(ctx context.Context, action Action, about, detail string) Entry {
	p, known := access.From(ctx)
	if !known { // a command
		p = access.Operator
	}
	e := Entry{
		At: time.Now().UTC().Truncate(time.Millisecond), User: p.User, Name: p.Name, Action: action, About: about, Detail: detail,
		Token: p.Token, TokenName: p.TokenName,
	}
	if a := access.AddressOf(ctx); a.IsValid() {
		e.Address = a.String()
	}
	return e
}

type key struct{}

// Note returns a context for one call of a store, which writes the entry together
// with what the call changes: both or neither.
func Note(ctx context.Context, e Entry) context.Context { return context.WithValue(ctx, key{}, e) }

// Noted returns the entry that ctx carries to a store, and whether it carries one.
func Noted(ctx context.Context) (Entry, bool) {
	e, ok := ctx.Value(key{}).(Entry)
	return e, ok
}

// Recorder writes entries about actions that change no store.
type Recorder interface {
	// Record writes an entry; it has reached the disk when the call returns.
	Record(ctx context.Context, e Entry) error
}

// Store keeps the audit log. Entries are never changed, and only Trim removes any.
type Store interface {
	Recorder
	// EntriesAfter returns up to limit entries after a number, the oldest first.
	EntriesAfter(ctx context.Context, after int64, limit int) ([]Entry, error)
	// EntriesBefore returns up to limit entries before a number, the newest
	// first; 0 means the end.
	EntriesBefore(ctx context.Context, before int64, limit int) ([]Entry, error)
	// EntriesOf returns all entries of an action after a number, the oldest first.
	EntriesOf(ctx context.Context, action Action, after int64) ([]Entry, error)
	// Trim removes what is older than Days at a time, and all but the newest
	// Failures failed sign-ins.
	Trim(ctx context.Context, at time.Time) error
}
