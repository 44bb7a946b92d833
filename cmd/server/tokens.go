package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"collie/segment/access"
	"collie/segment/accounts"
)

// tokensCommand manages API tokens on the machine itself, also while the server
// runs.
type tokensCommand struct {
	Create createToken `cmd:"" help:"Create an API token for a user and print its secret, which can't be shown again."`
	List   listTokens  `cmd:"" help:"List a user's API tokens."`
	Revoke revokeToken `cmd:"" help:"Revoke an API token."`
}

type createToken struct {
	User  string `arg:"" help:"Name of the user for whom the token acts."`
	Name  string `arg:"" help:"What the token is for."`
	Scope string `default:"read" enum:"metrics,read,annotate,admin" help:"What it can do: metrics (only /metrics), read, annotate, or admin (everything that the user can do)."`
	Days  int    `default:"0" help:"Days until it expires; 0 means never."`
	dataFlag
}

// Run creates the token.
func (c *createToken) Run(ctx context.Context, s streams) error {
	return c.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error {
		return a.CreateTokenFor(ctx, c.User, c.Name, access.Scope(c.Scope), c.Days, func(secret string) error {
			fmt.Fprintln(s.stdout, secret)
			return s.stdout.Err
		})
	})
}

type listTokens struct {
	User string `arg:"" help:"Name of the user."`
	dataFlag
}

// Run lists the tokens.
func (c *listTokens) Run(ctx context.Context, s streams) error {
	return c.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error {
		tokens, err := a.TokensOf(ctx, c.User)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
		for _, t := range tokens {
			fmt.Fprintf(table, "%s\t%s\t%s\tused: %s\texpires: %s\n", t.ID, t.Name, t.Scope, dayOrNever(t.Used), dayOrNever(t.Expires))
		}
		return table.Flush()
	})
}

func dayOrNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.DateOnly)
}

type revokeToken struct {
	User string `arg:"" help:"Name of the user."`
	ID   string `arg:"" name:"id" help:"Identifier of the token, as listed."`
	dataFlag
}

// Run revokes the token.
func (c *revokeToken) Run(ctx context.Context) error {
	return c.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error { return a.RevokeTokenOf(ctx, c.User, c.ID) })
}
