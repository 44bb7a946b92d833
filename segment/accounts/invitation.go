package accounts

import (
	"context"
	"slices"
	"strings"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/audit"
)

// InvitationDays is how many days an invitation lasts.
const InvitationDays = 7

// invitationPrefix begins the secret of every invitation, so that it is never taken
// for that of a session or the other way round.
const invitationPrefix = "join_"

func isInvitation(secret string) bool { return strings.HasPrefix(secret, invitationPrefix) }

// AddInvited creates users who have no password yet; see [Sessions.Invite]. All names are
// checked before anybody is created. When the store fails, or another admin takes a name
// meanwhile, the users before it have been created and are returned, too.
func (a *Accounts) AddInvited(ctx context.Context, names []string, role access.Role) ([]User, error) {
	present, err := a.List(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(access.ServerRoles(), role) {
		return nil, errRole
	}
	var users []User
	for _, name := range names {
		if err := checkName(name); err != nil {
			return nil, segment.Errorf(segment.Invalid, "%q can't be a user's name. %s Nobody was added.", name, err.Detail)
		}
		same := func(u User) bool { return strings.EqualFold(u.Name, name) }
		if slices.ContainsFunc(users, same) {
			return nil, segment.Errorf(segment.Conflict, "%s is in the list twice. Nobody was added.", name)
		}
		if slices.ContainsFunc(present, same) {
			return nil, segment.Errorf(segment.Conflict, "There is already a user called %s. Nobody was added.", name)
		}
		users = append(users, newUser(name, role))
	}
	for i, u := range users {
		err := a.create(ctx, u)
		if segment.KindOf(err) == segment.Conflict && i > 0 {
			err = segment.Errorf(segment.Conflict, "There is already a user called %s, whom somebody else has just added. Of the list, these were added before: %s.", u.Name, strings.Join(names[:i], ", "))
		}
		if err != nil {
			return users[:i], err
		}
	}
	return users, nil
}

// Invite returns a secret that lets whoever has it choose the password of a user,
// once and within InvitationDays. It is kept as a session is: only as a hash, and a new
// password ends it.
func (s *Sessions) Invite(ctx context.Context, userID string) (secret string, err error) {
	if err := mayManage(ctx); err != nil {
		return "", err
	}
	u, err := s.accounts.User(ctx, userID)
	if err != nil {
		return "", err
	}
	secret = invitationPrefix + newSecret()
	const lasts = InvitationDays * 24 * time.Hour
	_, err = s.store.AddSession(audit.Note(ctx, audit.New(ctx, audit.UserInvited, u.ID, u.Name)), secret, u, SessionLimits{Idle: lasts, Lifetime: lasts})
	return secret, err
}

var errNoInvitation = segment.Errorf(segment.NotFound, "This invitation has been used, has expired or never existed. Ask an admin for another one.")

// Invited returns the user whose password an invitation lets choose. The error is
// NotFound if it has been used, has expired or never existed.
func (s *Sessions) Invited(ctx context.Context, secret string) (User, error) {
	if !isInvitation(secret) {
		return User{}, errNoInvitation
	}
	u, _, err := s.holder(ctx, secret)
	if segment.KindOf(err) == segment.NotFound {
		err = errNoInvitation
	}
	return u, err
}

// Join uses an invitation: the user, who is returned as they were before, gets a password.
func (s *Sessions) Join(ctx context.Context, secret, password string) (User, error) {
	u, err := s.Invited(ctx, secret)
	if err != nil {
		return User{}, err
	}
	err = s.accounts.replace(access.With(ctx, u.Principal()), u, password)
	if segment.KindOf(err) == segment.Conflict { // it was used twice at once
		err = errNoInvitation
	}
	return u, err
}
