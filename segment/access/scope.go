package access

// Scope bounds what an API token can do on behalf of its user, whose roles bound
// it, too. The zero Scope is that of people, who can do what their roles include.
type Scope string

// The scopes.
const (
	Metrics      Scope = "metrics"  // the server's metrics and nothing else; for users who are admins
	ReadOnly     Scope = "read"     // what a viewer can do
	Annotating   Scope = "annotate" // what an annotator can do
	Unrestricted Scope = "admin"    // everything that the user can do
)

// Scopes returns the scopes of API tokens.
func Scopes() []Scope { return []Scope{Metrics, ReadOnly, Annotating, Unrestricted} }

// Limit returns what is left of a role of the user, on the server or in a
// project, for a token of this scope. It never includes more than the role.
func (s Scope) Limit(role Role) Role {
	switch s {
	case "", Unrestricted:
		return role
	case Annotating:
		if role.May(Annotate) {
			return Annotator
		}
		return role
	case ReadOnly:
		if role.May(Read) {
			return Viewer
		}
		return role
	case Metrics:
		if role.May(Observe) {
			return Observer
		}
	}
	return Nobody
}
