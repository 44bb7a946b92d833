package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/web/openid"
	"collie/web/people"
)

// usersCommand manages users on the machine itself, also while the server runs:
// a user who is removed there, or is given another role, is noticed at the next
// request, and by pages that are open within half a minute.
type usersCommand struct {
	Add      addUser     `cmd:"" help:"Add a user. Asks for the password, or reads it from the first line of standard input."`
	Invite   inviteUsers `cmd:"" help:"Print a link for each user to choose a password with. Users who don't exist are added."`
	List     listUsers   `cmd:"" help:"List the users."`
	Role     setRole     `cmd:"" help:"Give a user another role on the server."`
	Password setPassword `cmd:"" help:"Give a user another password and sign them out everywhere."`
	Remove   removeUser  `cmd:"" help:"Remove a user's access. Their work stays."`
	Link     linkUser    `cmd:"" help:"Let a user sign in with an account at an OpenID provider."`
	Unlink   unlinkUser  `cmd:"" help:"Take an account at an OpenID provider away from a user, sign them out everywhere and revoke their API tokens."`
}

type addUser struct {
	Name string `arg:"" help:"Name to sign in with."`
	Role string `default:"user" enum:"user,admin" help:"user or admin. Roles in projects are given on the project's page or with 'server members'."`
	dataFlag
}

// Run adds the user.
func (c *addUser) Run(ctx context.Context, s streams) error {
	role, _ := access.ParseRole(c.Role, access.ServerRoles())
	if err := cmp.Or(c.check(), c.elsewhere()); err != nil {
		return err
	}
	password, err := readPassword(ctx, s, c.Name)
	if err != nil {
		return err
	}
	if err := accounts.CheckNew(c.Name, password, role); err != nil { // before anything is made
		return err
	}
	// The first user can come before the first start of the server.
	return c.manageIn(ctx, firstDatabase, func(ctx context.Context, _ database, a *accounts.Accounts) error {
		u, err := a.Add(ctx, c.Name, password, role)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "added %s as %s\n", u.Name, u.Role)
		return c.wantAdmin(ctx, a, s)
	})
}

// wantAdmin says how to make an admin as long as no user is one, as after a first user
// without --role admin.
func (d *dataFlag) wantAdmin(ctx context.Context, a *accounts.Accounts, s streams) error {
	users, err := a.List(ctx)
	if err == nil && !slices.ContainsFunc(users, func(u accounts.User) bool { return u.Role == access.Admin }) {
		place := "--data " + d.Data
		if d.Database != "" {
			place = "--database …"
		}
		fmt.Fprintf(s.stderr, "No user is an admin yet; only admins create projects. If none comes from an OpenID provider, make one with: server users role NAME admin %s\n", place)
	}
	return err
}

type inviteUsers struct {
	Names  []string `arg:"" name:"name" help:"Names to sign in with."`
	Role   string   `default:"user" enum:"user,admin" help:"Of those who are added: user or admin."`
	Origin string   `required:"" env:"COLLIE_ORIGIN" placeholder:"https://HOST" help:"Address that people type, as with 'serve'."`
	dataFlag
}

// Run prints a name and a link on each line, with a tab between them.
func (c *inviteUsers) Run(ctx context.Context, s streams) error {
	role, _ := access.ParseRole(c.Role, access.ServerRoles())
	origin, err := parseOrigin(c.Origin)
	if err := cmp.Or(err, c.check(), c.elsewhere()); err != nil {
		return err
	}
	return c.manageIn(ctx, firstDatabase, func(ctx context.Context, store database, a *accounts.Accounts) error {
		users, err := invitees(ctx, a, c.Names, role)
		if err != nil {
			return err
		}
		sessions := accounts.NewSessions(store, a, accounts.SessionLimits{}, slog.New(slog.DiscardHandler))
		for _, u := range users {
			secret, err := sessions.Invite(ctx, u.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.stdout, "%s\t%s\n", u.Name, people.JoinLink(origin.String(), secret))
		}
		return c.wantAdmin(ctx, a, s)
	})
}

// invitees returns the users with some names; those who don't exist are added.
func invitees(ctx context.Context, a *accounts.Accounts, names []string, role access.Role) (users []accounts.User, err error) {
	var missing []string
	for _, name := range names {
		u, err := a.Named(ctx, name)
		switch {
		case segment.KindOf(err) == segment.NotFound:
			missing = append(missing, name)
		case err != nil:
			return nil, err
		default:
			users = append(users, u)
		}
	}
	added, err := a.AddInvited(ctx, missing, role)
	return append(users, added...), err
}

type listUsers struct{ dataFlag }

// Run lists the users.
func (c *listUsers) Run(ctx context.Context, s streams) error {
	return c.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error {
		users, err := a.List(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
		for _, u := range users {
			identities, err := a.Identities(ctx, u.ID)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%s\t%s\tsince %s", u.Name, u.Role, u.Created.Format(time.DateOnly))
			for _, i := range identities {
				fmt.Fprintf(table, "\t%s", i)
			}
			fmt.Fprintln(table)
		}
		return table.Flush()
	})
}

type setRole struct {
	Name string `arg:"" help:"Name of the user."`
	Role string `arg:"" enum:"user,admin" help:"user or admin."`
	dataFlag
}

// Run changes the role.
func (c *setRole) Run(ctx context.Context) error {
	role, _ := access.ParseRole(c.Role, access.ServerRoles())
	return c.change(ctx, c.Name, func(ctx context.Context, a *accounts.Accounts, u accounts.User) error {
		return a.SetRole(ctx, u.ID, role)
	})
}

type setPassword struct {
	Name string `arg:"" help:"Name of the user."`
	dataFlag
}

// Run changes the password.
func (c *setPassword) Run(ctx context.Context, s streams) error {
	return c.change(ctx, c.Name, func(ctx context.Context, a *accounts.Accounts, u accounts.User) error {
		password, err := readPassword(ctx, s, u.Name)
		if err != nil {
			return err
		}
		return a.SetPassword(ctx, u.ID, password)
	})
}

type removeUser struct {
	Name string `arg:"" help:"Name of the user."`
	dataFlag
}

// Run removes the user.
func (c *removeUser) Run(ctx context.Context) error {
	return c.change(ctx, c.Name, func(ctx context.Context, a *accounts.Accounts, u accounts.User) error {
		return a.Remove(ctx, u.ID)
	})
}

// identityArgs name an account at an OpenID provider.
type identityArgs struct {
	Subject string `arg:"" help:"What the provider calls the account in the claim sub; the audit log has it after a refused sign-in."`
	Issuer  string `required:"" env:"COLLIE_OPENID_ISSUER" placeholder:"URL" help:"The provider, as in --openid-issuer."`
}

type linkUser struct {
	Name string `arg:"" help:"Name of the user."`
	identityArgs
	dataFlag
}

// Run links the two.
func (c *linkUser) Run(ctx context.Context) error {
	if err := openid.CheckURL(c.Issuer); err != nil {
		return fmt.Errorf("--issuer: %w", err)
	}
	return c.change(ctx, c.Name, func(ctx context.Context, a *accounts.Accounts, u accounts.User) error {
		return a.Link(ctx, u.ID, c.identity())
	})
}

type unlinkUser struct {
	identityArgs
	dataFlag
}

// Run ends the link.
func (c *unlinkUser) Run(ctx context.Context) error {
	return c.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error { return a.Unlink(ctx, c.identity()) })
}

func (i identityArgs) identity() accounts.Identity {
	return accounts.Identity{Issuer: i.Issuer, Subject: i.Subject}
}

// manage opens the database, which must exist, for f, whose context is that of its
// owner.
func (d *dataFlag) manage(ctx context.Context, f func(context.Context, *accounts.Accounts) error) error {
	return d.manageIn(ctx, existingDatabase, func(ctx context.Context, _ database, a *accounts.Accounts) error { return f(ctx, a) })
}

// manageIn is manage with the database that open returns.
func (d *dataFlag) manageIn(ctx context.Context, open func(context.Context, dataFlag) (database, error), f func(context.Context, database, *accounts.Accounts) error) (err error) {
	store, err := open(ctx, *d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return f(access.With(ctx, access.Operator), store, accounts.New(store, accounts.Limits{}))
}

// change is manage for something that is done to the user of a name.
func (d *dataFlag) change(ctx context.Context, name string, f func(context.Context, *accounts.Accounts, accounts.User) error) error {
	return d.manage(ctx, func(ctx context.Context, a *accounts.Accounts) error {
		u, err := a.Named(ctx, name)
		if err != nil {
			return err
		}
		return f(ctx, a, u)
	})
}

// readPassword asks for a password when a person sits at the terminal, which
// then doesn't show what is typed, and reads a line of standard input when not.
func readPassword(ctx context.Context, s streams, name string) (string, error) {
	read := func() (string, error) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		switch {
		case errors.Is(err, io.EOF) && line == "":
			err = errors.New("standard input is empty; send it as the first line")
		case errors.Is(err, io.EOF):
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}
	if terminal := int(os.Stdin.Fd()); term.IsTerminal(terminal) {
		before, err := term.GetState(terminal)
		if err != nil {
			return "", fmt.Errorf("preparing the terminal: %w", err)
		}
		defer term.Restore(terminal, before) // also when ctx ends the wait
		fmt.Fprintf(s.stderr, "Password for %s: ", name)
		defer fmt.Fprintln(s.stderr)
		read = func() (string, error) {
			password, err := term.ReadPassword(terminal)
			return string(password), err
		}
	}
	type answer struct {
		password string
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		password, err := read()
		answers <- answer{password, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return "", fmt.Errorf("reading the password: %w", a.err)
		}
		return a.password, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
