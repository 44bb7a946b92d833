package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"time"

	"collie/segment"
	"collie/segment/audit"
)

// Session is a user's session; whoever has its token is signed in. Its times go by
// the store's clock, because the clocks of servers that share one can differ.
type Session struct {
	User       string    // identifier
	Generation int       // of the user when they signed in
	Expires    time.Time // unless the session is used
	Ends       time.Time // in any case
	Read       time.Time // from the store
}

// Left returns how long the session lasts unless it is used.
func (s *Session) Left() time.Duration { return s.Expires.Sub(s.Read) }

// SessionStore keeps sessions. It stores only a hash of each token, so a copy
// of its data can't be used to sign in. Every write has reached the disk when
// its call returns. Unknown and expired sessions are a segment.Error of kind
// NotFound. Safe for concurrent use.
type SessionStore interface {
	// AddSession stores a new session, which begins now, and removes expired ones.
	AddSession(ctx context.Context, token string, u User, l SessionLimits) (Session, error)
	Session(ctx context.Context, token string) (Session, error)
	// ProlongSession extends a session. One that has ended stays ended.
	ProlongSession(ctx context.Context, token string, expires time.Time) error
	// RemoveSession ends a session, if it exists.
	RemoveSession(ctx context.Context, token string) error
}

// SessionLimits say how long a session lasts. The zero value of a field means
// its default.
type SessionLimits struct {
	Idle     time.Duration // without a request
	Lifetime time.Duration // in any case
}

// OrDefault returns l with zeros replaced by the defaults.
func (l SessionLimits) OrDefault() SessionLimits {
	return SessionLimits{Idle: cmp.Or(l.Idle, 12*time.Hour), Lifetime: cmp.Or(l.Lifetime, 7*24*time.Hour)}
}

// Sessions maps tokens to users. Safe for concurrent use.
type Sessions struct {
	store    SessionStore
	accounts *Accounts
	limits   SessionLimits
	log      *slog.Logger
}

// NewSessions returns the sessions of users in a store.
func NewSessions(store SessionStore, users *Accounts, limits SessionLimits, log *slog.Logger) *Sessions {
	return &Sessions{store, users, limits.OrDefault(), log}
}

// newSecret is 256 random bits as 43 characters that can be sent in a cookie or a header.
func newSecret() string {
	var random [32]byte
	rand.Read(random[:])
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// Begin signs a user in; how is for the audit log, empty for a password.
func (s *Sessions) Begin(ctx context.Context, u User, how string) (token string, session Session, err error) {
	token = newSecret()
	e := audit.New(ctx, audit.SignedIn, "", how)
	e.User, e.Name = u.ID, u.Name
	session, err = s.store.AddSession(audit.Note(ctx, e), token, u, s.limits)
	return token, session, err
}

// Begin returns a user's session that begins at a time.
func (l SessionLimits) Begin(u User, at time.Time) Session {
	s := Session{User: u.ID, Generation: u.Generation, Ends: at.Add(l.Lifetime), Read: at}
	s.Expires = l.expiry(s)
	return s
}

// expiry returns when a session expires that is used as it is read.
func (l SessionLimits) expiry(s Session) time.Time {
	expires := s.Read.Add(l.Idle)
	if expires.After(s.Ends) {
		return s.Ends
	}
	return expires
}

// touchAfter is how far an expiry moves before it is stored again.
const touchAfter = time.Minute

// Find returns the user and session of a token. The error is NotFound if the
// session has ended or never existed, or its user was removed or has a new
// password. Using a session extends it.
func (s *Sessions) Find(ctx context.Context, token string, used bool) (User, Session, error) {
	if token == "" || isInvitation(token) {
		return User{}, Session{}, errNoSession
	}
	u, session, err := s.holder(ctx, token)
	if err != nil {
		return User{}, Session{}, err
	}
	if session.Ends.Sub(session.Read) > 2*s.limits.Lifetime { // by a clock that has been set back since, or a longer limit
		return User{}, Session{}, errNoSession
	}
	if expires := s.limits.expiry(session); used && expires.Sub(session.Expires) >= touchAfter {
		if err := s.store.ProlongSession(ctx, token, expires); err != nil {
			s.log.Debug("session not prolonged", "error", err) // people can still read while the disk is full
		} else {
			session.Expires = expires
		}
	}
	return u, session, nil
}

// holder returns the user whom a token was given, unless they have a new password.
func (s *Sessions) holder(ctx context.Context, token string) (User, Session, error) {
	session, err := s.store.Session(ctx, token)
	if err != nil {
		return User{}, Session{}, err
	}
	u, err := s.accounts.User(ctx, session.User)
	if err != nil {
		return User{}, Session{}, err
	}
	if u.Generation != session.Generation {
		return User{}, Session{}, errNoSession
	}
	return u, session, nil
}

var errNoSession = segment.Errorf(segment.NotFound, "This session doesn't exist or has ended.")

// End ends the session of a token.
func (s *Sessions) End(ctx context.Context, token string) error {
	return s.store.RemoveSession(audit.Note(ctx, audit.New(ctx, audit.SignedOut, "", "")), token)
}
