package accounts

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"strings"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// Identity is an account at an OpenID provider. A provider never gives a subject
// to another person, unlike names and e-mail addresses.
type Identity struct {
	Issuer  string // URL of the provider
	Subject string
}

func (i Identity) String() string { return i.Subject + " of " + i.Issuer }

// Voucher is what an OpenID provider says about somebody who has just signed in
// there.
type Voucher struct {
	Identity
	Name string      // of the user who is made at the first sign-in
	Role access.Role // on the server; Nobody leaves it to the admins
}

// IdentityStore keeps which users have which identities. Every write has reached
// the disk when its call returns. Unknown identities and users are a
// segment.Error of kind NotFound. Safe for concurrent use.
type IdentityStore interface {
	// Identified returns the identifier of the user with an identity, who may have
	// been removed.
	Identified(ctx context.Context, i Identity) (userID string, err error)
	// Identities lists those of a user in order.
	Identities(ctx context.Context, userID string) ([]Identity, error)
	// LinkIdentity gives an identity to a user. One that another user has is a
	// Conflict, unless that user was removed.
	LinkIdentity(ctx context.Context, i Identity, userID string) error
	// UnlinkIdentity takes an identity from its user, starts a new generation of
	// the user and removes their API tokens.
	UnlinkIdentity(ctx context.Context, i Identity) error
}

// RefusedError is the error for somebody whom a provider sends but who can't sign
// in.
type RefusedError struct {
	Reason string // a sentence for that person
	Cause  error  // for the audit log
}

func (e *RefusedError) Error() string { return e.Reason + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

// SignInWith returns the user for whom an OpenID provider vouches when it is asked;
// at the first sign-in it makes the user. Only the identity counts: a user who has
// the same name is another person until an admin links the two. A *RefusedError
// is recorded and counts as a failed try from the address, other errors of ask
// don't. Too many are a *TriesError, and then the provider isn't asked.
func (a *Accounts) SignInWith(ctx context.Context, from netip.Addr, ask func(context.Context) (Voucher, error)) (User, error) {
	fromThere, err := a.addresses.try(ctx, addressKey(from))
	if err != nil {
		return User{}, err
	}
	v, err := ask(ctx)
	var u User
	if err == nil {
		u, err = a.admit(ctx, v)
	}
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return u, errors.Join(err, fromThere.forgive(ctx))
	}
	detail := refused.Cause.Error()
	if v.Subject != "" {
		detail = v.String() + ": " + detail
	}
	e := audit.New(ctx, audit.SignInFailed, "", detail)
	return User{}, errors.Join(err, a.store.Record(ctx, e))
}

// admit returns the user with the identity that a voucher is about, in the role
// that it gives.
func (a *Accounts) admit(ctx context.Context, v Voucher) (User, error) {
	id, err := a.store.Identified(ctx, v.Identity)
	if segment.KindOf(err) == segment.NotFound {
		return a.enrol(ctx, v)
	}
	if err != nil {
		return User{}, err
	}
	u, err := a.store.User(ctx, id)
	switch {
	case segment.KindOf(err) == segment.NotFound:
		return User{}, &RefusedError{"Your access to this server has been removed. Ask an admin if you need it again.", errors.New("the user was removed")}
	case err != nil || v.Role == access.Nobody || v.Role == u.Role:
		return u, err
	}
	e := audit.New(ctx, audit.UserRole, u.ID, u.Name+": "+v.Role.String()+", from the groups of "+v.Issuer)
	e.User, e.Name = u.ID, u.Name
	err = a.store.SetRole(audit.Note(ctx, e), u.ID, v.Role)
	if segment.KindOf(err) == segment.Conflict {
		return User{}, &RefusedError{"You are the only admin of this server, but your groups no longer make you one. Make somebody else an admin first, for example on the server's machine with: server users role NAME admin.", errors.New("would leave no admin")}
	}
	u.Role = v.Role
	return u, err
}

// enrol makes the user whom a voucher is about.
func (a *Accounts) enrol(ctx context.Context, v Voucher) (User, error) {
	name := strings.TrimSpace(v.Name)
	wrong := checkName(name)
	switch {
	case name == "":
		return User{}, &RefusedError{"Your account at the OpenID provider says no name that you could have here. Ask an admin for help: --openid-name-claim chooses the claim.", errors.New("the claim of the name is missing")}
	case wrong != nil:
		return User{}, &RefusedError{
			"The name of your account at the OpenID provider can't be a user name here. " + wrong.Detail + " Ask an admin for help: --openid-name-claim chooses the claim.",
			errors.New("the name can't be a user name"),
		}
	}
	u := newUser(name, cmp.Or(v.Role, access.User))
	e := audit.New(ctx, audit.UserAdded, u.ID, u.Name+": "+u.Role.String()+", "+v.String())
	e.User, e.Name = u.ID, u.Name
	err := a.store.CreateUser(audit.Note(ctx, e), u, v.Identity)
	if segment.KindOf(err) != segment.Conflict {
		return u, err
	}
	// Somebody else has the name, or the same person signs in twice at once.
	if id, err := a.store.Identified(ctx, v.Identity); err == nil {
		return a.store.User(ctx, id)
	}
	return User{}, &RefusedError{
		"There is already a user called " + name + ", who signs in another way. If that is you, sign in with your password, or ask an admin to connect the two accounts: server users link " + name + " " + v.Subject,
		errors.New("another user is called " + name),
	}
}

// maxIdentity is the most bytes that the issuer and the subject of an identity can
// have; OpenID Connect Core 1.0, section 2, allows subjects of 255.
const maxIdentity = 255

// Link gives an identity to a user, who can sign in with it from then on.
func (a *Accounts) Link(ctx context.Context, userID string, i Identity) error {
	if err := mayManage(ctx); err != nil {
		return err
	}
	if i.Issuer == "" || i.Subject == "" || len(i.Issuer) > maxIdentity || len(i.Subject) > maxIdentity {
		return segment.Errorf(segment.Invalid, "The issuer and the subject must each have 1 to %d bytes. Nothing was changed.", maxIdentity)
	}
	u, err := a.store.User(ctx, userID)
	if err != nil {
		return err
	}
	return a.store.LinkIdentity(audit.Note(ctx, audit.New(ctx, audit.UserLinked, u.ID, u.Name+": "+i.String())), i, u.ID)
}

// Unlink takes an identity from its user, ends all their sessions and revokes
// their API tokens.
func (a *Accounts) Unlink(ctx context.Context, i Identity) error {
	if err := mayManage(ctx); err != nil {
		return err
	}
	id, err := a.store.Identified(ctx, i)
	if err != nil {
		return err
	}
	return a.store.UnlinkIdentity(audit.Note(ctx, audit.New(ctx, audit.UserUnlinked, id, i.String())), i)
}

// Identities lists those of a user.
func (a *Accounts) Identities(ctx context.Context, userID string) ([]Identity, error) {
	if err := mayManage(ctx); err != nil {
		return nil, err
	}
	return a.store.Identities(ctx, userID)
}

func newUser(name string, role access.Role) User {
	return User{ID: segment.NewID(), Name: name, Role: role, Created: segment.Now()}
}
