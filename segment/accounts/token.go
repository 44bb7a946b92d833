package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// Token is an API token: programs that send its secret act for its user within
// its scope, until it expires or is revoked. When it was created and expires goes by
// the store's clock, as with sessions.
type Token struct {
	ID      string
	User    string // identifier
	Name    string // what the user calls it
	Scope   access.Scope
	Created time.Time
	Expires time.Time // zero: never
	Used    time.Time // last, to the hour; zero: never
}

// TokenStore keeps API tokens. It stores only a hash of each secret, so a copy of
// its data can't be used to act for anybody. Every write has reached the disk when
// its call returns. Unknown and expired tokens are a segment.Error of kind
// NotFound. Safe for concurrent use.
type TokenStore interface {
	// AddToken stores a new token of a user, which begins now and lasts so many days, see
	// [Token.Begin]. A user who has another Generation by now is NotFound.
	AddToken(ctx context.Context, secret string, u User, t Token, days int) (Token, error)
	// Token returns the token of a secret.
	Token(ctx context.Context, secret string) (Token, error)
	// Tokens lists the tokens of a user in order of creation, expired ones
	// included.
	Tokens(ctx context.Context, userID string) ([]Token, error)
	// UseToken notes when a token was last used.
	UseToken(ctx context.Context, id string, at time.Time) error
	// RemoveToken removes a token of a user.
	RemoveToken(ctx context.Context, userID, id string) error
}

// tokenPrefix begins every secret, so that people and programs that search for
// leaked secrets recognise them.
const tokenPrefix = "collie_"

// IsToken reports whether a secret is that of an API token rather than a session.
func IsToken(secret string) bool { return strings.HasPrefix(secret, tokenPrefix) }

// Bounds of API tokens.
const (
	maxTokens    = 50 // of a user
	maxTokenDays = 3650
)

// CreateToken creates a token for the user whom ctx carries and returns its
// secret, which is not kept: the prefix and 256 random bits. It expires after some
// days, never with 0.
func (a *Accounts) CreateToken(ctx context.Context, name string, scope access.Scope, days int) (secret string, t Token, err error) {
	p, _ := access.From(ctx)
	u, err := a.store.User(ctx, p.User)
	if err != nil {
		return "", Token{}, err
	}
	u.Generation = p.Generation // or a session could outlast a new password as a token
	secret, t, err = a.createToken(ctx, u, name, scope, days, func(string) error { return nil })
	if segment.KindOf(err) == segment.NotFound {
		err = errNoSession
	}
	return secret, t, err
}

// CreateTokenFor is CreateToken for the user of a name, by an admin, who is shown the
// secret first: a token is created only if that succeeds, even when a closed pipe ends
// the program.
func (a *Accounts) CreateTokenFor(ctx context.Context, user, name string, scope access.Scope, days int, show func(secret string) error) error {
	u, err := a.Named(ctx, user)
	if err != nil {
		return err
	}
	shown := false
	_, _, err = a.createToken(ctx, u, name, scope, days, func(secret string) error {
		err := show(secret)
		shown = err == nil
		return err
	})
	if err != nil && shown {
		return fmt.Errorf("the token that was shown doesn't work, since it could not be stored; create another: %w", err)
	}
	return err
}

func (a *Accounts) createToken(ctx context.Context, u User, name string, scope access.Scope, days int, show func(secret string) error) (secret string, t Token, err error) {
	if name, err = segment.CleanName("name of the API token", name); err != nil {
		return "", Token{}, err
	}
	switch {
	case !slices.Contains(access.Scopes(), scope):
		return "", Token{}, segment.Errorf(segment.Invalid, "A token's scope must be metrics, read, annotate or admin. No token was created.")
	case scope == access.Metrics && !u.Role.May(access.Observe):
		return "", Token{}, segment.Errorf(segment.Invalid, "Only admins can read the server's metrics, so %s can't have a token for them. No token was created.", u.Name)
	case days < 0 || days > maxTokenDays:
		return "", Token{}, segment.Errorf(segment.Invalid, "A token can expire in 1 to %d days, or never (0). No token was created.", maxTokenDays)
	}
	own, err := a.store.Tokens(ctx, u.ID)
	if err != nil {
		return "", Token{}, err
	}
	if len(own) >= maxTokens {
		return "", Token{}, segment.Errorf(segment.Conflict, "%s has %d API tokens, which is the most that a user can have. Revoke one that isn't needed. No token was created.", u.Name, len(own))
	}
	secret = tokenPrefix + newSecret()
	if err := show(secret); err != nil {
		return "", Token{}, fmt.Errorf("no token was created, since its secret could not be shown: %w", err)
	}
	t = Token{ID: segment.NewID(), User: u.ID, Name: name, Scope: scope}
	t, err = a.store.AddToken(audit.Note(ctx, tokenEntry(ctx, audit.TokenCreated, u, t)), secret, u, t, days)
	return secret, t, err
}

// Begin returns t as a token that is created at a time and expires after some days,
// never with 0.
func (t Token) Begin(at time.Time, days int) Token {
	if t.Created = at; days != 0 {
		t.Expires = at.AddDate(0, 0, days)
	}
	return t
}

// tokenEntry is the entry of the audit log about a token of u.
func tokenEntry(ctx context.Context, action audit.Action, u User, t Token) audit.Entry {
	return audit.New(ctx, action, t.ID, u.Name+": "+t.Name+", "+string(t.Scope))
}

// Tokens lists the tokens of the user whom ctx carries in order of creation.
func (a *Accounts) Tokens(ctx context.Context) ([]Token, error) {
	p, _ := access.From(ctx)
	return a.store.Tokens(ctx, p.User)
}

// TokensOf lists the tokens of the user of a name, for admins.
func (a *Accounts) TokensOf(ctx context.Context, user string) ([]Token, error) {
	u, err := a.Named(ctx, user)
	if err != nil {
		return nil, err
	}
	return a.store.Tokens(ctx, u.ID)
}

// RevokeToken revokes a token of the user whom ctx carries, from the next request
// on.
func (a *Accounts) RevokeToken(ctx context.Context, id string) error {
	p, _ := access.From(ctx)
	u, err := a.store.User(ctx, p.User)
	if err != nil {
		return err
	}
	return a.revokeToken(ctx, u, id)
}

// RevokeTokenOf is RevokeToken for the user of a name, by an admin.
func (a *Accounts) RevokeTokenOf(ctx context.Context, user, id string) error {
	u, err := a.Named(ctx, user)
	if err != nil {
		return err
	}
	return a.revokeToken(ctx, u, id)
}

func (a *Accounts) revokeToken(ctx context.Context, u User, id string) error {
	own, err := a.store.Tokens(ctx, u.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(own, func(t Token) bool { return t.ID == id })
	if i < 0 {
		return segment.Errorf(segment.NotFound, "This API token doesn't exist or has already been revoked.")
	}
	return a.store.RemoveToken(audit.Note(ctx, tokenEntry(ctx, audit.TokenRevoked, u, own[i])), u.ID, id)
}

// noteAfter is how long a noted use of a token is not noted again.
const noteAfter = time.Hour

// FindToken returns the token of a secret and its user. The error is NotFound if
// it never existed, has expired or was revoked, or its user was removed or has a
// new password. Using it notes when.
func (a *Accounts) FindToken(ctx context.Context, secret string, used bool) (Token, User, error) {
	t, err := a.store.Token(ctx, secret)
	if err != nil {
		return Token{}, User{}, err
	}
	u, err := a.store.User(ctx, t.User)
	if err != nil {
		return Token{}, User{}, err
	}
	if now := time.Now(); used && now.Sub(t.Used) >= noteAfter {
		_ = a.store.UseToken(ctx, t.ID, now) // programs can still read while the disk is full
	}
	return t, u, nil
}

// Principal returns who makes requests with a token of the user.
func (t *Token) Principal(u User) access.Principal {
	p := u.Principal()
	p.Role, p.Scope = t.Scope.Limit(u.Role), t.Scope
	p.Token, p.TokenName = t.ID, t.Name
	return p
}
