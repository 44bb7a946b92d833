// Package accounts manages the users of a server with login: names, password
// hashes, sessions, and limits on guessing passwords.
package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
	"collie/segment/queue"
)

// User is a person who can sign in.
type User struct {
	ID      string
	Name    string      // as given; names that differ only in case are the same
	Role    access.Role // on the server
	Created time.Time

	Hash       string // of the password, see package comment of golang.org/x/crypto/argon2; empty for users without one
	Generation int    // increases when all sessions of the user end
}

// Principal returns the user for the rest of the program.
func (u *User) Principal() access.Principal {
	return access.Principal{User: u.ID, Name: u.Name, Role: u.Role, Generation: u.Generation}
}

// Store keeps users. Every write has reached the disk when its call returns.
// Unknown and removed users are a segment.Error of kind NotFound; a change that
// would leave no admin is a Conflict and changes nothing. Safe for concurrent use.
type Store interface {
	// CreateUser stores a new user with their identities; an existing name and an
	// identity of another user are a Conflict.
	CreateUser(ctx context.Context, u User, identities ...Identity) error
	User(ctx context.Context, id string) (User, error)
	UserNamed(ctx context.Context, name string) (User, error)
	Users(ctx context.Context) ([]User, error) // by name
	SetRole(ctx context.Context, id string, role access.Role) error
	// SetPassword stores a new hash, starts a new generation and removes the
	// user's API tokens. A user who has another Generation by now is NotFound.
	SetPassword(ctx context.Context, u User, hash string) error
	// RemoveUser removes the user's access and API tokens.
	RemoveUser(ctx context.Context, id string) error
	TokenStore
	IdentityStore
	Tries
	audit.Recorder
}

// Limits of signing in. The zero value of a field means its default.
type Limits struct {
	AccountTries  int // failed tries per account within AccountWithin
	AccountWithin time.Duration
	AddressTries  int // failed tries per address within a minute
}

// OrDefault returns l with zeros replaced by the defaults.
func (l Limits) OrDefault() Limits {
	return Limits{cmp.Or(l.AccountTries, 5), cmp.Or(l.AccountWithin, 15*time.Minute), cmp.Or(l.AddressTries, 20)}
}

// Accounts manages users. Safe for concurrent use.
type Accounts struct {
	store     Store
	hasher    *hasher
	accounts  limit            // by accountKey
	addresses limit            // by addressKey
	lanes     [64]*queue.Queue // for one sign-in at a time from each address
	seed      maphash.Seed     // of the addresses' lanes
}

// New returns the accounts in a store.
func New(store Store, limits Limits) *Accounts {
	limits = limits.OrDefault()
	a := &Accounts{
		store: store, hasher: newHasher(),
		accounts:  limit{store, limits.AccountTries, limits.AccountWithin},
		addresses: limit{store, limits.AddressTries, time.Minute},
		seed:      maphash.MakeSeed(),
	}
	for i := range a.lanes {
		a.lanes[i] = queue.New(1, maxWaiting)
	}
	return a
}

// ErrWrong is the error for a wrong name or password. It never says which of
// them is wrong.
var ErrWrong = errors.New("wrong name or password")

// TriesError is the error after too many tries.
type TriesError struct {
	Wait time.Duration // until the next one is possible
}

func (e *TriesError) Error() string {
	return fmt.Sprintf("too many wrong passwords; try again in %s", e.Wait)
}

// SignIn returns the user who has the name and the password. A wrong name or
// password is ErrWrong, after the same work whether or not the user exists; too
// many, for the name or from the address, are a *TriesError. Successful tries
// don't count; those from one address are checked one after the other, because each
// counts until it has succeeded.
func (a *Accounts) SignIn(ctx context.Context, name, password string, from netip.Addr) (User, error) {
	lane := maphash.String(a.seed, addressKey(from)) % uint64(len(a.lanes))
	done, err := enter(ctx, a.lanes[lane])
	if err != nil {
		return User{}, err
	}
	defer done()
	fromThere, err := a.addresses.try(ctx, addressKey(from))
	if err != nil {
		return User{}, err
	}
	u, err := a.store.UserNamed(ctx, name)
	if err != nil && segment.KindOf(err) != segment.NotFound {
		return User{}, errors.Join(err, fromThere.forgive(ctx))
	}
	asThem, err := a.accounts.try(ctx, accountKey(name, u.Generation, from))
	if err != nil { // a locked account's tries don't lock out others at the address
		return User{}, errors.Join(err, fromThere.forgive(ctx))
	}
	ok, err := a.check(ctx, u, password)
	switch {
	case err != nil: // the password was not checked
		return User{}, errors.Join(err, fromThere.forgive(ctx), asThem.forgive(ctx))
	case !ok:
		e := audit.New(ctx, audit.SignInFailed, u.ID, "") // of a name that is not a user's nothing is kept: it may be a password
		e.Name = u.Name
		if err := a.store.Record(ctx, e); err != nil {
			return User{}, errors.Join(ErrWrong, err)
		}
		return User{}, ErrWrong
	}
	if err := errors.Join(fromThere.forgive(ctx), asThem.forgiveAll(ctx)); err != nil {
		return User{}, err
	}
	return u, nil
}

// check returns whether a password is that of a user, who has no name if there is
// no such user; that takes as long.
func (a *Accounts) check(ctx context.Context, u User, password string) (bool, error) {
	if len(password) > maxPassword {
		password = "" // hashing it would only cost time
	}
	return a.hasher.matches(ctx, password, u.Hash)
}

// network returns what counts as one address: the first 64 bits with IPv6,
// where everybody has many.
func network(a netip.Addr) string {
	a = a.Unmap()
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

// User returns the user with an identifier, for the program's own use.
func (a *Accounts) User(ctx context.Context, id string) (User, error) { return a.store.User(ctx, id) }

// Any reports whether any user exists, for the program's own use.
func (a *Accounts) Any(ctx context.Context) (bool, error) {
	users, err := a.store.Users(ctx)
	return len(users) > 0, err
}

// List returns all users by name.
func (a *Accounts) List(ctx context.Context) ([]User, error) {
	if err := mayManage(ctx); err != nil {
		return nil, err
	}
	return a.store.Users(ctx)
}

// Named returns the user who has a name.
func (a *Accounts) Named(ctx context.Context, name string) (User, error) {
	if err := mayManage(ctx); err != nil {
		return User{}, err
	}
	return a.store.UserNamed(ctx, name)
}

// namePattern matches names, in characters that people can tell apart.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$`)

var errName = segment.Errorf(segment.Invalid, "A user name is 1 to 64 characters long, contains only letters (a to z), digits and . _ - + @, and starts with a letter or a digit.")

var errRole = segment.Errorf(segment.Invalid, "A role on the server must be user or admin. Owners of a project set the roles of its members.")

var errTaken = segment.Errorf(segment.Invalid, "The name %q is taken: what a project's model does appears under it.", segment.ByProject)

// checkName checks the name of a new user.
func checkName(name string) *segment.Error {
	switch {
	case !namePattern.MatchString(name):
		return errName
	case strings.EqualFold(name, segment.ByProject): // the model would undo the user's work as if it were its own
		return errTaken
	}
	return nil
}

// CheckNew returns why Add would refuse a user, whoever else exists.
func CheckNew(name, password string, role access.Role) error {
	name = strings.TrimSpace(name)
	if err := checkName(name); err != nil {
		return err
	}
	if !slices.Contains(access.ServerRoles(), role) {
		return errRole
	}
	if err := checkPassword(name, password); err != nil {
		return err
	}
	return nil
}

// Add creates a user.
func (a *Accounts) Add(ctx context.Context, name, password string, role access.Role) (User, error) {
	if err := mayManage(ctx); err != nil {
		return User{}, err
	}
	if err := CheckNew(name, password, role); err != nil {
		return User{}, err
	}
	name = strings.TrimSpace(name)
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	u := newUser(name, role)
	u.Hash = hash
	return u, a.create(ctx, u)
}

func (a *Accounts) create(ctx context.Context, u User) error {
	return a.store.CreateUser(audit.Note(ctx, audit.New(ctx, audit.UserAdded, u.ID, u.Name+": "+u.Role.String())), u)
}

// SetRole changes a user's role from the next request on.
func (a *Accounts) SetRole(ctx context.Context, id string, role access.Role) error {
	if err := mayManage(ctx); err != nil {
		return err
	}
	if !slices.Contains(access.ServerRoles(), role) {
		return errRole
	}
	u, err := a.store.User(ctx, id)
	if err != nil {
		return err
	}
	return a.store.SetRole(audit.Note(ctx, audit.New(ctx, audit.UserRole, id, u.Name+": "+role.String())), id, role)
}

// SetPassword changes a user's password, ends all their sessions and revokes
// their API tokens.
func (a *Accounts) SetPassword(ctx context.Context, id, password string) error {
	if err := mayManage(ctx); err != nil {
		return err
	}
	u, err := a.store.User(ctx, id)
	if err != nil {
		return err
	}
	return a.replace(ctx, u, password)
}

// ChangePassword is SetPassword by the user, who must know the current
// password. Wrong passwords count as tries to sign in.
func (a *Accounts) ChangePassword(ctx context.Context, present, password string, from netip.Addr) error {
	p, _ := access.From(ctx)
	u, err := a.store.User(ctx, p.User)
	if err != nil {
		return err
	}
	if err := checkPassword(u.Name, password); err != nil {
		return err
	}
	if _, err := a.SignIn(ctx, u.Name, present, from); err != nil {
		return err
	}
	return a.replace(ctx, u, password)
}

// errMeanwhile says that a user has changed since they were read.
var errMeanwhile = segment.Errorf(segment.Conflict, "How this user signs in was changed at the same time, or the user was removed. The new password was not stored.")

// replace gives a user a password, unless they have got another one meanwhile.
func (a *Accounts) replace(ctx context.Context, u User, password string) error {
	if err := checkPassword(u.Name, password); err != nil {
		return err
	}
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	err = a.store.SetPassword(audit.Note(ctx, audit.New(ctx, audit.UserPassword, u.ID, u.Name)), u, hash)
	if segment.KindOf(err) == segment.NotFound {
		return errMeanwhile
	}
	return err
}

// addressKey is the key for counting tries from one address.
func addressKey(from netip.Addr) string { return "address\n" + network(from) }

// accountKey is the key for counting tries for one name from one address, so that
// others can't lock the user out. With a new password the user has a new generation,
// for which nothing counts yet.
func accountKey(name string, generation int, from netip.Addr) string {
	return fmt.Sprintf("account\n%s\n%d\n%s", network(from), generation, strings.ToLower(name))
}

// Remove removes a user's access. Their work stays.
func (a *Accounts) Remove(ctx context.Context, id string) error {
	if err := mayManage(ctx); err != nil {
		return err
	}
	u, err := a.store.User(ctx, id)
	if err != nil {
		return err
	}
	return a.store.RemoveUser(audit.Note(ctx, audit.New(ctx, audit.UserRemoved, id, u.Name)), id)
}

// mayManage refuses users without the right to manage users; without a principal that is
// everybody.
func mayManage(ctx context.Context) error {
	if !access.May(ctx, access.Administer) {
		return segment.Errorf(segment.NotFound, "Only admins can do this. Nothing was changed.").Because(segment.ErrRole)
	}
	return nil
}
