package people

import (
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/segment/access"
	"collie/segment/audit"
	"collie/templates"
	"collie/web/answers"
	"collie/web/query"
)

const (
	entriesOnPage = 100
	auditChunk    = 1000 // entries that are in memory while the log is sent
)

// Entry is an entry of the audit log: a line of its export.
type Entry struct {
	Number  int64     `json:"number" doc:"ascending, never used twice; gaps are failed sign-ins that are not kept any more, and entries older than 400 days"`
	At      time.Time `json:"at"`
	User    string    `json:"user,omitempty" doc:"identifier; absent for the operator of the machine and for failed sign-ins"`
	Name    string    `json:"name,omitempty" doc:"of the user at that time"`
	Address string    `json:"address,omitempty" doc:"from where; absent for commands on the machine itself"`
	Action  string    `json:"action" doc:"such as session.begin, session.refused, member.set, project.trash, export.download"`
	About   string    `json:"about,omitempty" doc:"identifier of what it was done to"`
	Detail  string    `json:"detail,omitempty"`

	Token     string `json:"token,omitempty" doc:"identifier of the API token that it was done with; absent for people"`
	TokenName string `json:"token_name,omitempty" doc:"of the API token at that time"`
}

// EncodeEntry writes an entry of the audit log as a line of JSON.
func EncodeEntry(to *json.Encoder, e audit.Entry) error {
	return to.Encode(Entry{e.Number, e.At, e.User, e.Name, e.Address, string(e.Action), e.About, e.Detail, e.Token, e.TokenName})
}

// AfterEntry is the parameter of GetAudit.
var AfterEntry = query.Int{Name: "after", High: math.MaxInt32, Doc: "only entries after this number"}

// GetAudit sends the audit log as JSON lines.
func (p *People) GetAudit(w http.ResponseWriter, r *http.Request) error {
	if err := p.workspace.May(r.Context(), access.Administer); err != nil {
		return err
	}
	from, err := AfterEntry.Of(r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodGet { // and not HEAD, which fetches nothing
		if err := p.workspace.Record(r.Context(), audit.LogFetched, "", ""); err != nil {
			p.log.Warn("not in the audit log", "error", err)
		}
	}
	after := int64(from)
	entries, err := p.workspace.EntriesAfter(r.Context(), after, auditChunk)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Disposition", answers.Attachment("audit.jsonl"))
	lines := json.NewEncoder(w)
	for len(entries) > 0 {
		for _, e := range entries {
			if err := EncodeEntry(lines, e); err != nil {
				p.log.Debug("answer not sent", "error", err)
				return nil
			}
			after = e.Number
		}
		if entries, err = p.workspace.EntriesAfter(r.Context(), after, auditChunk); err != nil {
			p.log.Warn("stream ended early", "error", err)
			panic(http.ErrAbortHandler) // so that the client notices
		}
	}
	return nil
}

// AuditPage lists the entries of the audit log, the newest first.
func (p *People) AuditPage(w http.ResponseWriter, r *http.Request) error {
	before, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0 // from the end
	}
	entries, err := p.workspace.EntriesBefore(r.Context(), before, entriesOnPage+1)
	if err != nil {
		return err
	}
	projects, err := p.workspace.Projects(r.Context())
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	v := templates.AuditView{Days: audit.Days, Later: before > 0}
	if len(entries) > entriesOnPage {
		entries = entries[:entriesOnPage]
		v.Older = strconv.FormatInt(entries[entriesOnPage-1].Number, 10)
	}
	gone := map[string]string{}
	if len(entries) > 0 { // a project that is gone was trashed after all else that was done to it
		if gone, err = p.workspace.TrashedNames(r.Context(), entries[len(entries)-1].Number-1); err != nil {
			return err
		}
	}
	for _, e := range entries {
		row := templates.AuditRow{At: e.At, Name: e.Name, Token: e.TokenName, Address: e.Address, What: doings[e.Action], Detail: details(e, names, gone)}
		if row.What == "" {
			row.What = string(e.Action) // of a newer program
		}
		v.Rows = append(v.Rows, row)
	}
	p.answers.HTML(w, r, http.StatusOK, templates.Audit(v))
	return nil
}

// named is an image or a project in the details of entries that list them. Entries of
// older programs have only its identifier.
var named = regexp.MustCompile(`("(?:[^"\\]|\\.)*" )?\b([a-z2-7]{26})\b`)

// details are the details of an entry, with the names of images for their
// identifiers. The entry has the name of that time, so that it outlives the image.
// What was done to a project names it, as it is called now, or was when it was moved to
// the trash.
func details(e audit.Entry, projects, gone map[string]string) []templates.AuditText {
	var out []templates.AuditText
	rest := e.Detail
	if slices.Contains(listing, e.Action) {
		at := 0
		for _, m := range named.FindAllStringSubmatchIndex(e.Detail, -1) {
			id := e.Detail[m[4]:m[5]]
			name := id
			if m[2] >= 0 {
				if n, err := strconv.Unquote(e.Detail[m[2] : m[3]-1]); err == nil {
					name = n
				}
			}
			link := "/images/" + id
			if e.Action == audit.Erased || e.Action == audit.ImagesTrashed {
				link = ""
			}
			out = append(out, templates.AuditText{Text: e.Detail[at:m[0]]}, templates.AuditText{Text: name, Link: link})
			at = m[1]
		}
		rest = e.Detail[at:]
	}
	project, link := projects[e.About], "/projects/"+e.About
	if project == "" {
		project, link = gone[e.About], ""
	}
	if rest == project || rest == "project "+project { // made, trashed or restored
		rest = strings.TrimSuffix(rest, project)
	} else if project != "" {
		rest += " in "
	}
	if rest != "" {
		out = append(out, templates.AuditText{Text: rest})
	}
	if project != "" {
		out = append(out, templates.AuditText{Text: project, Link: link})
	}
	return out
}

// listing are the actions whose details list images or projects.
var listing = []audit.Action{audit.ImagesReviewed, audit.ImagesAssigned, audit.ImagesTrashed, audit.ImagesRestored, audit.Erased}

// doings puts the actions in words.
var doings = map[audit.Action]string{
	audit.SignedIn: "Signed in", audit.SignInFailed: "Failed to sign in", audit.SignedOut: "Signed out",
	audit.UserAdded: "Added a user", audit.UserInvited: "Invited a user", audit.UserRole: "Changed a role on the server", audit.UserPassword: "Changed a password", audit.UserRemoved: "Removed a user",
	audit.UserLinked: "Connected an OpenID account", audit.UserUnlinked: "Disconnected an OpenID account",
	audit.TokenCreated: "Created an API token", audit.TokenRevoked: "Revoked an API token",
	audit.MemberSet: "Gave a role in a project", audit.MemberRemoved: "Removed a member from a project",
	audit.ProjectCreated: "Created a project", audit.ProjectEdited: "Changed a project", audit.ProjectTrashed: "Moved a project to the trash",
	audit.ProjectRemoved: "Removed a project without images", audit.ImageTrashed: "Moved an image to the trash", audit.ImagesTrashed: "Moved images to the trash", audit.ImagesRestored: "Restored images from the trash", audit.Restored: "Restored from the trash", audit.Erased: "Emptied the trash",
	audit.ImagesReviewed: "Set the status of images", audit.ImagesAssigned: "Assigned images",
	audit.ImagesUploaded: "Uploaded images", audit.MasksImported: "Imported masks", audit.BackupImported: "Imported a backup of a project",
	audit.ExportStarted: "Started an export", audit.ExportFetched: "Downloaded an export", audit.ExportCancelled: "Cancelled an export",
	audit.LogFetched:    "Downloaded the audit log",
	audit.ServerStarted: "Started the server", audit.ServerBackedUp: "Made a backup", audit.ServerRestored: "Restored a backup", audit.ServerRepaired: "Repaired the data",
	audit.ServerMoved: "Moved files or records",
}
