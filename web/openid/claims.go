package openid

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"collie/segment/access"
	"collie/segment/accounts"
)

// vouch returns what the claims of an ID token mean here. Claims that the token
// lacks are asked for at the provider's UserInfo endpoint.
func (p *Provider) vouch(ctx context.Context, d *discovered, id *oidc.IDToken, token *oauth2.Token) (accounts.Voucher, error) {
	v := accounts.Voucher{Identity: accounts.Identity{Issuer: p.config.Issuer, Subject: id.Subject}}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return v, p.distrust(err)
	}
	grouped := len(p.config.Admins)+len(p.config.Users) > 0
	name, named := claim(claims, p.config.NameClaim).(string)
	groups := claim(claims, p.config.GroupsClaim)
	if (!named || grouped && groups == nil) && d.UserInfoEndpoint() != "" {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return v, p.away(fmt.Errorf("the UserInfo endpoint: %w", err))
		}
		if info.Subject != id.Subject { // OpenID Connect Core 1.0, section 5.3.2
			return v, p.distrust(errors.New("the UserInfo endpoint answers about somebody else"))
		}
		var more map[string]any
		if err := info.Claims(&more); err != nil {
			return v, p.distrust(err)
		}
		if !named {
			name, _ = claim(more, p.config.NameClaim).(string)
		}
		if groups == nil {
			groups = claim(more, p.config.GroupsClaim)
		}
	}
	v.Name = name
	err := p.place(&v, texts(groups))
	return v, err
}

// place sets the role that somebody's groups give, and refuses people who are in
// no group that is let in.
func (p *Provider) place(v *accounts.Voucher, groups []string) error {
	in := func(some []string) bool {
		return slices.ContainsFunc(some, func(g string) bool { return slices.Contains(groups, g) })
	}
	admin := in(p.config.Admins)
	if len(p.config.Users) > 0 && !admin && !in(p.config.Users) {
		return refuse("Your account at "+p.config.Label+" is not in a group that can use this server. Ask an admin if you need access.",
			fmt.Sprintf("in no admitted group; %s has %q", p.config.GroupsClaim, groups))
	}
	switch {
	case admin:
		v.Role = access.Admin
	case len(p.config.Admins) > 0:
		v.Role = access.User
	}
	return nil
}

// claim returns a claim by its name, or by the names that lead to it through
// objects, separated by dots; nil if it is missing.
func claim(claims map[string]any, name string) any {
	if value, ok := claims[name]; ok { // names can contain dots: https://example.org/groups
		return value
	}
	first, rest, ok := strings.Cut(name, ".")
	if !ok {
		return nil
	}
	inner, _ := claims[first].(map[string]any)
	return claim(inner, rest)
}

// texts returns the texts of a claim that is one or a list of them.
func texts(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, v := range value {
			if text, ok := v.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}
