package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/static"
	"collie/storage/sqlite"
	"collie/web/people"
	"collie/web/problem"
	"collie/web/wire"
)

// right is one row of the matrix: the status that a call answers to a stranger, a
// viewer, a reviewer, an annotator, an owner of the project and an admin.
// Strangers get 401; 404 is for what a role does not include, whether it exists or
// not.
type right struct {
	body     string
	form     bool // the body is a form
	statuses [6]int
}

// Rows by the lowest role that can make the call, which then answers with status.
func viewersGet(status int) [6]int    { return [6]int{401, status, status, status, status, status} }
func annotatorsGet(status int) [6]int { return [6]int{401, 404, 404, status, status, status} }
func ownersGet(status int) [6]int     { return [6]int{401, 404, 404, 404, status, status} }
func adminsGet(status int) [6]int     { return [6]int{401, 404, 404, 404, 404, status} }

var (
	openToAll   = [6]int{200, 200, 200, 200, 200, 200}
	forViewers  = viewersGet(200)
	forOwners   = ownersGet(200)
	forAdmins   = adminsGet(200)
	adminsMake  = adminsGet(201)
	adminsForm  = adminsGet(303)
	ownersClose = ownersGet(204)
)

// rights has a row for every route. The body FILE is an upload; {id} in an address
// is the id of the thing it names.
var rights = map[string]right{
	"GET /":                           {statuses: forViewers},
	"GET /projects/{id}":              {statuses: forViewers},
	"GET /images/{id}":                {statuses: forViewers},
	"GET /api":                        {statuses: forViewers},
	"GET /audit":                      {statuses: forAdmins},
	"GET /api/v1/audit":               {statuses: forAdmins},
	"GET /trash":                      {statuses: forViewers},
	"GET /api/v1/trash":               {statuses: forViewers},
	"POST /api/v1/trash/{id}/restore": {statuses: forOwners},
	"POST /api/v1/projects/{id}/classes/{class}/restore": {statuses: forOwners},
	"DELETE /api/v1/images/{id}":                         {statuses: ownersClose},
	"GET /static/*":                                      {statuses: openToAll},
	"GET /healthz":                                       {statuses: openToAll},
	"GET /readyz":                                        {statuses: openToAll},
	"GET /metrics":                                       {statuses: forAdmins},
	"GET /login":                                         {statuses: [6]int{200, 303, 303, 303, 303, 303}},
	"POST /login":                                        {form: true, body: "name=x&password=y", statuses: [6]int{401, 401, 401, 401, 401, 401}},
	"GET /login/openid":                                  {statuses: [6]int{404, 404, 404, 404, 404, 404}}, // without a provider; see TestOpenID
	"GET /login/openid/callback":                         {statuses: [6]int{404, 404, 404, 404, 404, 404}},
	"GET /join":                                          {statuses: [6]int{404, 404, 404, 404, 404, 404}}, // without an invitation; see TestInvitations
	"POST /join":                                         {form: true, statuses: [6]int{404, 404, 404, 404, 404, 404}},
	"POST /logout":                                       {form: true, statuses: viewersGet(303)},
	"GET /account":                                       {statuses: forViewers},
	"POST /account":                                      {form: true, body: "present=x&password=short", statuses: viewersGet(422)},
	"GET /users":                                         {statuses: forAdmins},
	"POST /users":                                        {form: true, body: "name=new&password=correct+horse&role=user", statuses: adminsForm},
	"POST /users/{id}/role":                              {form: true, body: "role=admin", statuses: adminsForm},
	"POST /users/{id}/invite":                            {form: true, statuses: forAdmins},
	"POST /users/{id}/password":                          {form: true, body: "password=correct+horse", statuses: adminsForm},
	"POST /users/{id}/remove":                            {form: true, statuses: adminsForm},
	"GET /api/v1/session":                                {statuses: forViewers},
	"POST /api/v1/session":                               {body: "[]", statuses: [6]int{422, 422, 422, 422, 422, 422}},
	"DELETE /api/v1/session":                             {statuses: viewersGet(204)},
	"GET /api/v1/tokens":                                 {statuses: forViewers},
	"POST /api/v1/tokens":                                {body: `{"name":"robot","scope":"read"}`, statuses: viewersGet(201)},
	"DELETE /api/v1/tokens/{id}":                         {statuses: viewersGet(404)}, // everybody has only their own
	"POST /account/tokens":                               {form: true, body: "name=robot&scope=read&days=0", statuses: forViewers},
	"POST /account/tokens/{id}/revoke":                   {form: true, statuses: viewersGet(404)},
	"GET /api/v1/openapi.json":                           {statuses: forViewers},
	"POST /api/v1/sample":                                {statuses: adminsMake},
	"POST /api/v1/projects":                              {body: `{"name":"New"}`, statuses: adminsMake},
	"GET /api/v1/projects":                               {statuses: forViewers},
	"GET /api/v1/projects/{id}":                          {statuses: forViewers},
	"PATCH /api/v1/projects/{id}":                        {body: `{"name":"Other"}`, statuses: forOwners},
	"DELETE /api/v1/projects/{id}":                       {statuses: ownersClose},

	"GET /api/v1/projects/{id}/classes": {statuses: forViewers},
	"PUT /api/v1/projects/{id}/classes": {body: `[{"name":"sky"},{"name":"sea"},{"name":"sand"}]`, statuses: forOwners},

	"GET /api/v1/projects/{id}/members":           {statuses: forViewers},
	"PUT /api/v1/projects/{id}/members/{user}":    {body: `{"role":"viewer"}`, statuses: forOwners},
	"DELETE /api/v1/projects/{id}/members/{user}": {statuses: ownersClose},

	"GET /api/v1/projects/{id}/images":      {statuses: forViewers},
	"PUT /api/v1/projects/{id}/assignments": {body: `{"images":[],"assignee":""}`, statuses: [6]int{401, 404, 200, 200, 200, 200}},
	"PUT /api/v1/projects/{id}/trash":       {body: `{"images":[],"trashed":true}`, statuses: ownersClose},
	"PUT /api/v1/projects/{id}/reviews":     {body: `{"images":[],"status":"done"}`, statuses: [6]int{401, 404, 200, 200, 200, 200}},
	"POST /api/v1/projects/{id}/imports":    {body: "FILE", statuses: annotatorsGet(200)},
	"POST /api/v1/imports":                  {body: "FILE", statuses: adminsGet(415)},
	"POST /api/v1/projects/{id}/images":     {body: "FILE", statuses: annotatorsGet(201)},

	"GET /api/v1/projects/{id}/learning": {statuses: forViewers},
	"POST /api/v1/projects/{id}/guesses": {statuses: annotatorsGet(202)},

	"POST /api/v1/projects/{id}/exports": {body: `{"format":"coco"}`, statuses: viewersGet(202)},
	"GET /api/v1/exports/{id}":           {statuses: forViewers},
	"DELETE /api/v1/exports/{id}":        {statuses: ownersClose},
	"GET /api/v1/exports/{id}/file":      {statuses: forViewers},

	"GET /api/v1/images/{id}":                 {statuses: forViewers},
	"GET /api/v1/images/{id}/evidence":        {statuses: forViewers},
	"POST /api/v1/images/{id}/evidence":       {body: labelAt("same", 0, inSky, 0), statuses: annotatorsGet(200)},
	"POST /api/v1/images/{id}/copy":           {body: "{}", statuses: annotatorsGet(422)},
	"POST /api/v1/images/{id}/guess":          {statuses: forViewers},
	"GET /api/v1/images/{id}/socket":          {statuses: viewersGet(101)},
	"GET /api/v1/images/{id}/display":         {statuses: forViewers},
	"GET /api/v1/images/{id}/levels":          {statuses: forViewers},
	"GET /api/v1/images/{id}/thumbnail":       {statuses: forViewers},
	"GET /api/v1/images/{id}/original":        {statuses: forViewers},
	"GET /api/v1/images/{id}/superpixels.png": {statuses: forViewers},
	"GET /api/v1/images/{id}/superpixels.bin": {statuses: forViewers},
	"GET /api/v1/images/{id}/hypotheses":      {statuses: forViewers},
	"GET /api/v1/images/{id}/guess":           {statuses: viewersGet(422)},
	"GET /api/v1/images/{id}/ladder":          {statuses: viewersGet(422)},
	"GET /api/v1/images/{id}/alternatives":    {statuses: viewersGet(422)},
	"GET /api/v1/images/{id}/mask.png":        {statuses: forViewers},
	"GET /api/v1/images/{id}/objects":         {statuses: forViewers},
}

// Everybody asks every route about their own project, somebody else's and one that
// doesn't exist. A route without a row fails.
func TestRightsOfRoutes(t *testing.T) {
	t.Parallel()
	s := MustServe(t, func(c *Config, store *sqlite.Store) {
		c.Login = &people.Login{Accounts: accounts.New(store, accounts.Limits{AccountTries: 100, AddressTries: 100}), Sessions: store}
	})
	admin := s.user("admin", access.Admin)
	whos := [6]string{"stranger", "viewer", "reviewer", "annotator", "owner", "admin"}
	people := [6]*accounts.User{5: &admin}
	for i, role := range access.ProjectRoles() {
		u := s.user(role.String(), role)
		people[1+i] = &u
	}
	outsider := s.user("outsider", access.User)
	theirs := things{s: s.as(admin), team: s.team, made: map[string]string{}}
	others := things{s: s.as(admin), made: map[string]string{}}
	seen := map[string]bool{}
	cells, strange := 0, 0
	err := chi.Walk(s.server.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		name := method + " " + route
		seen[name] = true
		row, ok := rights[name]
		if !ok {
			t.Errorf("%s has no row: who can call it?", name)
			return nil
		}
		as := func(u *accounts.User) *site { // a session for each call: some sign out
			if u == nil {
				return s
			}
			return s.as(*u)
		}
		named := strings.Contains(route, "{id}")
		for i, u := range people {
			got := as(u).ask(row, method, route, theirs.about(name))
			cells++
			if got.status < 400 {
				delete(theirs.made, name) // it may be used up
			}
			if got.status != row.statuses[i] {
				t.Errorf("%s, %s: %d, want %d: %.200s", name, whos[i], got.status, row.statuses[i], got.body)
			}
			if !named || u == nil {
				continue
			}
			cells++
			if unknown := as(u).ask(row, method, route, segment.NewID()); unknown.status != 404 {
				t.Errorf("%s, %s: an unknown thing answers %d", name, whos[i], unknown.status)
			}
		}
		// Other people's things look as if they didn't exist.
		for i, u := range append(people[:5:5], &outsider) {
			if !named {
				break
			}
			there, nowhere := as(u).ask(row, method, route, others.about(name)), as(u).ask(row, method, route, segment.NewID())
			cells, strange = cells+2, strange+2
			want := 404
			if u == nil {
				want = 401
			}
			if there.status != want || nowhere.status != want || string(there.body) != string(nowhere.body) {
				t.Errorf("%s, %d: an unknown thing can be told from one of others: %d %s, %d %s", name, i, nowhere.status, nowhere.body, there.status, there.body)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range rights {
		if !seen[name] {
			t.Errorf("the table has %s, which is no route", name)
		}
	}
	if strange < 300 {
		t.Errorf("only %d questions about things of others", strange)
	}
	t.Logf("%d routes × %d roles, %d requests, %d about projects of others", len(seen), len(people), cells, strange)
}

// things creates what calls are about, in projects where the team has its roles,
// or where nobody has.
type things struct {
	s        *site // as an admin
	team     map[string]access.Role
	kept     wire.Image // for calls that leave it as it is
	exported string
	made     map[string]string // by call
	users    int
}

func (m *things) project() string {
	var p wire.Project
	m.s.post("/api/v1/projects", `{"name":"Beach","classes":[{"name":"sky"},{"name":"sea"},{"name":"sand"}],"rest":"nothing"}`).into(m.s.tb, 201, &p)
	for name, role := range m.team {
		m.s.join(p.ID, name, role)
	}
	return p.ID
}

func (m *things) image() wire.Image {
	var images []wire.Image
	m.s.upload(m.project(), file{"beach.png", picture()}).into(m.s.tb, 201, &images)
	return images[0]
}

// about returns the id of the thing that a call is about.
func (m *things) about(name string) string {
	if m.made[name] == "" {
		m.made[name] = m.make(name)
	}
	return m.made[name]
}

func (m *things) make(name string) string {
	if m.kept.ID == "" {
		m.kept = m.image()
		m.exported = m.s.exported(m.kept.Project, `{"format":"coco"}`).ID
	}
	_, route, _ := strings.Cut(name, " ")
	switch {
	case strings.HasPrefix(route, "/users/"):
		m.users++
		return m.s.user(fmt.Sprintf("victim%d%t", m.users, m.team == nil), access.User).ID
	case name == "DELETE /api/v1/projects/{id}":
		return m.project()
	case name == "DELETE /api/v1/images/{id}":
		return m.image().ID
	case name == "POST /api/v1/trash/{id}/restore":
		id := m.project()
		m.s.send("DELETE", "/api/v1/projects/"+id, nil)
		return id
	case strings.Contains(route, "/classes/{class}"):
		id := m.project()
		m.s.send("PATCH", "/api/v1/projects/"+id, strings.NewReader(`{"classes":[{"id":0,"name":"sky"},{"id":1,"name":"sea"}]}`))
		return id
	case strings.HasSuffix(route, "/members/{user}"):
		id := m.project()
		if m.team != nil { // or else who asks would be one of them
			m.s.join(id, "outsider", access.Viewer)
		}
		return id
	case name == "DELETE /api/v1/exports/{id}":
		return m.s.exported(m.kept.Project, `{"format":"coco"}`).ID
	case strings.Contains(route, "/exports/{id}"):
		return m.exported
	case strings.Contains(route, "/projects/"):
		return m.kept.Project
	}
	return m.kept.ID
}

// ask makes the call of a row.
func (s *site) ask(row right, method, route, id string) answer {
	s.tb.Helper()
	path := strings.NewReplacer("{id}", id, "{class}", "2", "{user}", "outsider", "*", static.Version()+"/ui/base.css").Replace(route)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if strings.HasSuffix(route, "/socket") {
		return s.knock(id)
	}
	kind := "application/json"
	body := io.Reader(strings.NewReader(row.body))
	switch {
	case row.form:
		kind = "application/x-www-form-urlencoded"
	case row.body == "FILE":
		body, kind = form(file{"a.png", picture()})
	}
	return s.send(method, path, body, "Content-Type: "+kind)
}

// Whoever sees something but lacks the right to change it is not told that it
// doesn't exist.
func TestRefusedIsNotMissing(t *testing.T) {
	t.Parallel()
	s := MustServe(t, withLogin)
	admin, viewer := s.user("admin", access.Admin), s.user("viewer", access.Viewer)
	im := s.as(admin).photo()
	export := "/api/v1/exports/" + s.as(admin).exported(im.Project, `{"format":"coco"}`).ID
	s.as(viewer).get(export).into(t, 200, new(any))
	for what, got := range map[string]answer{
		"a project":           s.as(viewer).patchProject(im.Project, `{"name":"Mine"}`),
		"somebody's export":   s.as(viewer).send("DELETE", export, nil),
		"what is for admins":  s.as(viewer).get("/api/v1/audit"),
		"a project to create": s.as(viewer).post("/api/v1/projects", `{"name":"Mine"}`),
	} {
		if p := got.problem(t, 404); p.Title != problem.NotAllowed || strings.Contains(p.Detail, "exist") {
			t.Errorf("%s: %+v", what, p)
		}
	}
	if p := s.as(viewer).get("/api/v1/projects/"+segment.NewID()).problem(t, 404); p.Title == problem.NotAllowed {
		t.Errorf("what doesn't exist: %+v", p)
	}
	for _, path := range []string{"/users", "/audit"} {
		page := s.as(viewer).send("GET", path, nil, "Accept: text/html")
		if body := string(page.body); page.status != 404 || !strings.Contains(body, "<h1>"+problem.NotAllowed+"</h1>") || strings.Contains(body, "404") || strings.Contains(body, "problem-status") {
			t.Errorf("%s: %d %s", path, page.status, body)
		}
	}
}
