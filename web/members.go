package web

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/web/live"
	"collie/web/problem"
)

// memberJSON is somebody with a role in a project.
type memberJSON struct {
	Name  string    `json:"name" doc:"the name the user signs in with"`
	Role  string    `json:"role" schema:"enum=viewer|reviewer|annotator|owner"`
	Since time.Time `json:"since" doc:"when the user got this role"`
}

// newMemberJSON is what clients send to add a member or to change a role.
type newMemberJSON struct {
	Role string `json:"role" schema:"required,enum=viewer|reviewer|annotator|owner"`
}

func memberOut(m segment.Member) memberJSON { return memberJSON{m.Name, m.Role.String(), m.Since} }

// listMembers says who can do what in a project.
func (s *Server) listMembers(w http.ResponseWriter, r *http.Request) error {
	members, err := s.workspace.Members(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	out := make([]memberJSON, len(members))
	for i, m := range members {
		out[i] = memberOut(m)
	}
	return s.answers.JSON(w, http.StatusOK, out)
}

// setMember adds a member or gives one another role; pages of the project that the
// user has open come back with it.
func (s *Server) setMember(w http.ResponseWriter, r *http.Request) error {
	if err := s.may(r, access.Manage); err != nil {
		return err
	}
	var body newMemberJSON
	if err := s.decodeBody(r, &body); err != nil {
		return err
	}
	role, ok := access.ParseRole(body.Role, access.ProjectRoles())
	if !ok {
		return problem.Invalid("The field \"role\" must be viewer, reviewer, annotator or owner. Nothing was changed.")
	}
	project := chi.URLParam(r, "id")
	m, err := s.workspace.SetMember(r.Context(), project, chi.URLParam(r, "user"), role)
	if segment.KindOf(err) == segment.NotFound {
		if _, gone := s.workspace.Project(r.Context(), project); gone == nil {
			return segment.Errorf(segment.NotFound, "%v An admin can add users on the page \"Users\".", err)
		}
	}
	if err != nil {
		return err
	}
	s.expelMember(live.RoleChanged, project, m)
	return s.answers.JSON(w, http.StatusOK, memberOut(m))
}

// removeMember takes a member's role away and disconnects the pages of the project
// that the user has open.
func (s *Server) removeMember(w http.ResponseWriter, r *http.Request) error {
	project := chi.URLParam(r, "id")
	m, err := s.workspace.RemoveMember(r.Context(), project, chi.URLParam(r, "user"))
	if err != nil {
		return err
	}
	s.expelMember(live.Removed, project, m)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// expelMember ends the sockets of a member in a project. Admins keep theirs, for
// which the role in the project makes no difference.
func (s *Server) expelMember(why *live.Farewell, project string, m segment.Member) {
	s.hub.Expel(why, func(v live.Visitor) bool {
		return v.User == m.User && v.Project == project && v.Role != access.Admin
	})
}
