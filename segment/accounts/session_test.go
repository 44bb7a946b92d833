package accounts_test

import (
	"log/slog"
	"testing"
	"time"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
)

// A session that a clock far ahead has dated, or that began under a much longer limit,
// has ended, and an invitation from before has not.
func TestSessionsOfAnotherClock(t *testing.T) {
	store, ctx := mustStore(t), access.With(t.Context(), access.Operator)
	a := accounts.New(store, accounts.Limits{})
	u := mustAdd(t, a, ctx, "ann", access.User)
	long := accounts.NewSessions(store, a, accounts.SessionLimits{Idle: 48 * time.Hour, Lifetime: 48 * time.Hour}, slog.New(slog.DiscardHandler))
	token, _, err := long.Begin(ctx, u, "")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := long.Invite(ctx, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	for lifetime, ends := range map[time.Duration]bool{48 * time.Hour: false, 30 * time.Hour: false, 23 * time.Hour: true} {
		sessions := accounts.NewSessions(store, a, accounts.SessionLimits{Lifetime: lifetime}, slog.New(slog.DiscardHandler))
		if _, _, err := sessions.Find(ctx, token, true); (segment.KindOf(err) == segment.NotFound) != ends {
			t.Errorf("a session of 48 hours, with a limit of %v: %v", lifetime, err)
		}
		if _, err := sessions.Invited(ctx, secret); err != nil {
			t.Errorf("the invitation, with a limit of %v: %v", lifetime, err)
		}
	}
}
