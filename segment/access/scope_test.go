package access

import "testing"

func TestScopes(t *testing.T) {
	for scope, want := range map[Scope]map[Role]Role{
		"":           {Nobody: Nobody, User: User, Viewer: Viewer, Reviewer: Reviewer, Annotator: Annotator, Owner: Owner, Admin: Admin},
		Unrestricted: {Nobody: Nobody, User: User, Viewer: Viewer, Reviewer: Reviewer, Annotator: Annotator, Owner: Owner, Admin: Admin},
		Annotating:   {Nobody: Nobody, User: User, Viewer: Viewer, Reviewer: Reviewer, Annotator: Annotator, Owner: Annotator, Admin: Annotator},
		ReadOnly:     {Nobody: Nobody, User: User, Viewer: Viewer, Reviewer: Viewer, Annotator: Viewer, Owner: Viewer, Admin: Viewer},
		Metrics:      {Nobody: Nobody, User: Nobody, Viewer: Nobody, Reviewer: Nobody, Annotator: Nobody, Owner: Nobody, Admin: Observer},
		"everything": {Nobody: Nobody, User: Nobody, Viewer: Nobody, Reviewer: Nobody, Annotator: Nobody, Owner: Nobody, Admin: Nobody},
	} {
		for role, want := range want {
			got := scope.Limit(role)
			if got != want {
				t.Errorf("scope %q leaves %v of %v, want %v", scope, got, role, want)
			}
			for a := Enter; a <= Observe; a++ {
				if got.May(a) && !role.May(a) {
					t.Errorf("scope %q adds action %d to %v", scope, a, role)
				}
			}
		}
	}
}
