package row

import (
	"database/sql"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/segment/audit"
)

// UserColumns are what ScanUser reads.
const UserColumns = "id, name, admin, password, generation, created"

// ScanUser reads a user.
func ScanUser(row Scanner) (accounts.User, error) {
	var u accounts.User
	var admin bool
	var created int64
	if err := row.Scan(&u.ID, &u.Name, &admin, &u.Hash, &u.Generation, &created); err != nil {
		return accounts.User{}, ReadError("user", err)
	}
	if u.Role = access.User; admin {
		u.Role = access.Admin
	}
	u.Created = Moment(created)
	return u, nil
}

// NameTaken is the error for a new user whose name another one has.
func NameTaken(name string) error {
	return segment.Errorf(segment.Conflict, "There is already a user called %s. Nothing was changed.", name)
}

// Ends is what an update of a user ends.
type Ends struct {
	Admin  bool // that they are an admin, of whom one must remain
	Tokens bool // all access so far, also by API tokens
}

// LastAdmin is the error for a change that would leave no admin.
func LastAdmin() error {
	return segment.Errorf(segment.Conflict, "This is the only admin left. Make somebody else an admin first. Nothing was changed.")
}

// OwnerMay is nil if an owner may change a project's members: they still own it, and
// the change doesn't leave it without an owner.
func OwnerMay(owns, leaves bool) error {
	switch {
	case !owns:
		return segment.Errorf(segment.NotFound, "You are no longer an owner of this project. Nothing was changed.")
	case leaves:
		return segment.Errorf(segment.Conflict, "This is the only owner of the project. Make somebody else an owner first. Nothing was changed.")
	}
	return nil
}

// Linked is the error for an identity that another user has.
func Linked(i accounts.Identity) error {
	return segment.Errorf(segment.Conflict, "Another user signs in as %s. Nothing was changed.", i)
}

// ScanIdentity reads an issuer and a subject.
func ScanIdentity(row Scanner) (i accounts.Identity, err error) {
	err = row.Scan(&i.Issuer, &i.Subject)
	return i, err
}

// ScanMember reads the id and the name of a user, a role and since when they have it.
func ScanMember(row Scanner) (m segment.Member, err error) {
	var role string
	var since int64
	if err := row.Scan(&m.User, &m.Name, &role, &since); err != nil {
		return segment.Member{}, ReadError("member", err)
	}
	m.Role = ProjectRole(role)
	m.Since = Moment(since)
	return m, nil
}

// ScanRole reads the id of a project and a role in it.
func ScanRole(row Scanner, id *string, role *access.Role) error {
	var name string
	err := row.Scan(id, &name)
	*role = ProjectRole(name)
	return err
}

// ProjectRole is the role in a project that has a name.
func ProjectRole(name string) access.Role {
	role, _ := access.ParseRole(name, access.ProjectRoles())
	return role
}

// ScanSession reads the user, generation, expires and ends of a session, and the present time.
func ScanSession(row Scanner) (session accounts.Session, err error) {
	var expires, ends, read int64
	if err := row.Scan(&session.User, &session.Generation, &expires, &ends, &read); err != nil {
		return accounts.Session{}, ReadError("session", err)
	}
	session.Expires, session.Ends, session.Read = Moment(expires), Moment(ends), Moment(read)
	return session, nil
}

// ScanToken reads the id of a token, that of its user, its name, scope, created,
// expires and used.
func ScanToken(row Scanner) (accounts.Token, error) {
	var t accounts.Token
	var scope string
	var created int64
	var expires, used sql.NullInt64
	if err := row.Scan(&t.ID, &t.User, &t.Name, &scope, &created, &expires, &used); err != nil {
		return accounts.Token{}, ReadError("API token", err)
	}
	t.Scope, t.Created, t.Expires, t.Used = access.Scope(scope), Moment(created), optional(expires), optional(used)
	return t, nil
}

// EntryColumns are those of an entry of the audit log besides its number, in the
// order of Entry. The user's name is quoted, for it is a word of SQL.
const EntryColumns = `at, "user", name, address, action, about, detail, token, token_name`

// Entry returns the columns of an entry of the audit log.
func Entry(e audit.Entry) []any {
	return []any{e.At.UnixMilli(), e.User, e.Name, e.Address, string(e.Action), e.About, e.Detail, e.Token, e.TokenName}
}

// ScanEntry reads a row of a number and the columns of an entry.
func ScanEntry(row Scanner) (e audit.Entry, err error) {
	var at int64
	err = row.Scan(&e.Number, &at, &e.User, &e.Name, &e.Address, &e.Action, &e.About, &e.Detail, &e.Token, &e.TokenName)
	e.At = Moment(at)
	return e, err
}
