package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"collie/web/openid"
)

// openidFlags let people sign in with their account at an OpenID provider.
type openidFlags struct {
	OpenIDIssuer     string   `name:"openid-issuer" env:"COLLIE_OPENID_ISSUER" placeholder:"URL" help:"With --auth and --origin: let people also sign in at this OpenID provider. The server connects to it."`
	OpenIDClient     string   `name:"openid-client" env:"COLLIE_OPENID_CLIENT" placeholder:"ID" help:"Client ID of this server at the provider."`
	OpenIDSecretFile string   `name:"openid-secret-file" default:"" env:"COLLIE_OPENID_SECRET_FILE" type:"path" placeholder:"FILE" help:"File with the client's secret. The variable COLLIE_OPENID_SECRET can have the secret itself; a public client has none."`
	OpenIDLabel      string   `name:"openid-label" env:"COLLIE_OPENID_LABEL" placeholder:"NAME" help:"What people call the provider, for the button; the provider's host name by default."`
	OpenIDScopes     []string `name:"openid-scopes" env:"COLLIE_OPENID_SCOPES" default:"profile,email" placeholder:"SCOPE" help:"Scopes to ask for besides openid."`
	OpenIDNameClaim  string   `name:"openid-name-claim" env:"COLLIE_OPENID_NAME_CLAIM" default:"preferred_username" placeholder:"CLAIM" help:"Claim with the name of a user who signs in for the first time."`
	OpenIDGroups     string   `name:"openid-groups-claim" env:"COLLIE_OPENID_GROUPS_CLAIM" default:"groups" placeholder:"CLAIM" help:"Claim with the groups or roles of a user; dots lead into objects, as in realm_access.roles."`
	OpenIDAdmins     []string `name:"openid-admins" env:"COLLIE_OPENID_ADMINS" placeholder:"GROUP" help:"Groups whose members are admins at each sign-in, while everybody else who signs in with the provider is a user. Without it admins give the roles."`
	OpenIDUsers      []string `name:"openid-users" env:"COLLIE_OPENID_USERS" placeholder:"GROUP" help:"Groups whose members can sign in, besides those of --openid-admins. Without it everybody who has an account at the provider can."`
}

// provider is the provider that the flags name, nil without one. It isn't asked
// for anything yet.
func (o *openidFlags) provider(auth bool, origin string, log *slog.Logger) (*openid.Provider, error) {
	if o.OpenIDIssuer == "" {
		if o.OpenIDClient != "" || len(o.OpenIDAdmins)+len(o.OpenIDUsers) > 0 {
			return nil, errors.New("--openid-client, --openid-admins and --openid-users belong to a provider: add --openid-issuer")
		}
		return nil, nil
	}
	if err := openid.CheckURL(o.OpenIDIssuer); err != nil {
		return nil, fmt.Errorf("--openid-issuer: %w", err)
	}
	switch {
	case !auth:
		return nil, errors.New("--openid-issuer lets people sign in, so it needs --auth")
	case origin == "":
		return nil, fmt.Errorf("--openid-issuer needs --origin https://HOST: the provider sends people back to that address followed by %s", openid.CallbackPath)
	case o.OpenIDClient == "":
		return nil, fmt.Errorf("--openid-issuer needs --openid-client: register this server at the provider with the redirect URI %s%s", origin, openid.CallbackPath)
	}
	secret, err := o.secret()
	if err != nil {
		return nil, err
	}
	issuer, err := url.Parse(o.OpenIDIssuer)
	if err != nil {
		return nil, fmt.Errorf("--openid-issuer: %w", err)
	}
	return openid.New(openid.Config{
		Issuer: o.OpenIDIssuer, Client: o.OpenIDClient, Secret: secret, Origin: origin, Scopes: o.OpenIDScopes,
		Label: cmp.Or(o.OpenIDLabel, issuer.Host), NameClaim: o.OpenIDNameClaim, GroupsClaim: o.OpenIDGroups, Admins: o.OpenIDAdmins, Users: o.OpenIDUsers,
	}, log), nil
}

// secret is the client's secret, which is no flag because everybody on the machine
// can read a program's flags.
func (o *openidFlags) secret() (string, error) {
	secret := os.Getenv("COLLIE_OPENID_SECRET")
	if o.OpenIDSecretFile == "" {
		return secret, nil
	}
	if secret != "" {
		return "", errors.New("--openid-secret-file and the variable COLLIE_OPENID_SECRET contradict each other: use only one")
	}
	content, err := os.ReadFile(o.OpenIDSecretFile)
	if err != nil {
		return "", fmt.Errorf("--openid-secret-file: %w", err)
	}
	if secret = strings.TrimSpace(string(content)); secret == "" {
		return "", fmt.Errorf("--openid-secret-file: %s is empty", o.OpenIDSecretFile)
	}
	return secret, nil
}
