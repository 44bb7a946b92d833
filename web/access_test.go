package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/gorilla/websocket"

	"collie/segment"
	"collie/segment/access"
	"collie/segment/accounts"
	"collie/static"
	"collie/storage/sqlite"
	"collie/web/live"
)

// withLogin makes a server ask people to sign in.
func withLogin(c *Config, store *sqlite.Store) {
	c.Login = &Login{Accounts: accounts.New(store, accounts.Limits{}), Sessions: store}
}

func limited(l Limits) func(*Config, *sqlite.Store) {
	return func(c *Config, _ *sqlite.Store) { c.Limits = l }
}

// as returns the site as the user of a new session sees it.
func (s *site) as(u accounts.User) *site {
	s.tb.Helper()
	token, _, err := s.server.sessions.Begin(s.tb.Context(), u)
	if err != nil {
		s.tb.Fatal(err)
	}
	signed := *s
	signed.token = token
	return &signed
}

// user makes a user who has no password yet.
func (s *site) user(name string, role access.Role) accounts.User {
	s.tb.Helper()
	u := accounts.User{ID: segment.NewID(), Name: name, Role: role, Created: time.Now().UTC().Truncate(time.Millisecond)}
	if err := s.store.CreateUser(s.tb.Context(), u); err != nil {
		s.tb.Fatal(err)
	}
	return u
}

// right is one row of the matrix: what a call answers to a stranger, a viewer,
// an annotator and an admin. 401 is turned away, and 404 what a role does not
// include, whether it is there or not.
type right struct {
	body     string
	form     bool // the body is a form
	statuses [4]int
}

var (
	openToAll    = [4]int{200, 200, 200, 200}
	forViewers   = [4]int{401, 200, 200, 200}
	forAdmins    = [4]int{401, 404, 404, 200}
	adminsMake   = [4]int{401, 404, 404, 201}
	adminsDone   = [4]int{401, 404, 404, 204}
	adminsReturn = [4]int{401, 404, 404, 303}
)

// rights has a row for every route. The body FILE is an
// upload; the {id} of an address is that of the thing it names.
var rights = map[string]right{
	"GET /":                           {statuses: forViewers},
	"GET /projects/{id}":              {statuses: forViewers},
	"GET /images/{id}":                {statuses: forViewers},
	"GET /api":                        {statuses: forViewers},
	"GET /trash":                      {statuses: forAdmins},
	"GET /api/v1/trash":               {statuses: forAdmins},
	"POST /api/v1/trash/{id}/restore": {statuses: forAdmins},
	"POST /api/v1/projects/{id}/classes/{class}/restore": {statuses: forAdmins},
	"DELETE /api/v1/images/{id}/":                        {statuses: adminsDone},
	"GET /static/*":                                      {statuses: openToAll},
	"GET /healthz":                                       {statuses: openToAll},
	"GET /readyz":                                        {statuses: openToAll},
	"GET /metrics":                                       {statuses: forAdmins},
	"GET /login":                                         {statuses: [4]int{200, 303, 303, 303}},
	"POST /login":                                        {form: true, body: "name=x&password=y", statuses: [4]int{401, 401, 401, 401}},
	"POST /logout":                                       {form: true, statuses: [4]int{401, 303, 303, 303}},
	"GET /account":                                       {statuses: forViewers},
	"POST /account":                                      {form: true, body: "present=x&password=short", statuses: [4]int{401, 422, 422, 422}},
	"GET /users":                                         {statuses: forAdmins},
	"POST /users":                                        {form: true, body: "name=new&password=correct+horse&role=viewer", statuses: adminsReturn},
	"POST /users/{id}/role":                              {form: true, body: "role=annotator", statuses: adminsReturn},
	"POST /users/{id}/password":                          {form: true, body: "password=correct+horse", statuses: adminsReturn},
	"POST /users/{id}/remove":                            {form: true, statuses: adminsReturn},
	"GET /api/v1/session":                                {statuses: forViewers},
	"POST /api/v1/session":                               {body: "[]", statuses: [4]int{422, 422, 422, 422}},
	"DELETE /api/v1/session":                             {statuses: [4]int{401, 204, 204, 204}},
	"GET /api/v1/openapi.json":                           {statuses: forViewers},
	"POST /api/v1/sample":                                {statuses: adminsMake},
	"POST /api/v1/projects":                              {body: `{"name":"New"}`, statuses: adminsMake},
	"GET /api/v1/projects":                               {statuses: forViewers},
	"GET /api/v1/projects/{id}":                          {statuses: forViewers},
	"PATCH /api/v1/projects/{id}":                        {body: `{"name":"Other"}`, statuses: forAdmins},
	"DELETE /api/v1/projects/{id}":                       {statuses: adminsDone},

	"GET /api/v1/projects/{id}/classes": {statuses: forViewers},
	"PUT /api/v1/projects/{id}/classes": {body: `[{"name":"sky"},{"name":"sea"},{"name":"sand"}]`, statuses: forAdmins},

	"GET /api/v1/projects/{id}/images":   {statuses: forViewers},
	"POST /api/v1/projects/{id}/imports": {body: "FILE", statuses: [4]int{401, 404, 200, 200}},
	"POST /api/v1/imports":               {body: "FILE", statuses: [4]int{401, 404, 404, 415}},
	"POST /api/v1/projects/{id}/images":  {body: "FILE", statuses: [4]int{401, 404, 201, 201}},

	"GET /api/v1/projects/{id}/learning": {statuses: forViewers},
	"POST /api/v1/projects/{id}/guesses": {statuses: [4]int{401, 404, 202, 202}},

	"POST /api/v1/projects/{id}/exports": {body: `{"format":"coco"}`, statuses: [4]int{401, 202, 202, 202}},
	"GET /api/v1/exports/{id}":           {statuses: forViewers},
	"DELETE /api/v1/exports/{id}":        {statuses: adminsDone},
	"GET /api/v1/exports/{id}/file":      {statuses: forViewers},

	"GET /api/v1/images/{id}/":                {statuses: forViewers},
	"GET /api/v1/images/{id}/evidence":        {statuses: forViewers},
	"POST /api/v1/images/{id}/evidence":       {body: labelAt("same", 0, inSky, 0), statuses: [4]int{401, 404, 200, 200}},
	"POST /api/v1/images/{id}/guess":          {statuses: forViewers},
	"GET /api/v1/images/{id}/socket":          {statuses: [4]int{401, 101, 101, 101}},
	"GET /api/v1/images/{id}/display":         {statuses: forViewers},
	"GET /api/v1/images/{id}/levels":          {statuses: forViewers},
	"GET /api/v1/images/{id}/thumbnail":       {statuses: forViewers},
	"GET /api/v1/images/{id}/original":        {statuses: forViewers},
	"GET /api/v1/images/{id}/superpixels.png": {statuses: forViewers},
	"GET /api/v1/images/{id}/superpixels.bin": {statuses: forViewers},
	"GET /api/v1/images/{id}/hypotheses":      {statuses: forViewers},
	"GET /api/v1/images/{id}/mask.png":        {statuses: forViewers},
}

// Every route, asked by everybody: the matrix fails when a route has no row.
func TestRightsOfRoutes(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.user("admin", access.Admin)
	whos := [4]string{"stranger", "viewer", "annotator", "admin"}
	people := [4]*accounts.User{nil, {}, {}, &admin}
	*people[1], *people[2] = s.user("viewer", access.Viewer), s.user("annotator", access.Annotator)
	im := s.as(admin).photo()
	exported := s.as(admin).exported(im.Project, `{"format":"coco"}`).ID
	seen := map[string]bool{}
	cells := 0
	err := chi.Walk(s.server.routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		name := method + " " + route
		seen[name] = true
		row, ok := rights[name]
		if !ok {
			t.Errorf("%s has no row: who may call it?", name)
			return nil
		}
		for i, u := range people {
			who := s
			if u != nil {
				who = s.as(*u)
			}
			id := im.ID
			switch {
			case strings.HasPrefix(route, "/users/"):
				id = s.user(fmt.Sprintf("victim%d", cells), access.Viewer).ID
			case name == "DELETE /api/v1/projects/{id}":
				id = s.as(admin).project().ID
			case name == "DELETE /api/v1/images/{id}/":
				id = s.as(admin).photo().ID
			case name == "POST /api/v1/trash/{id}/restore":
				id = s.as(admin).project().ID
				s.as(admin).send("DELETE", "/api/v1/projects/"+id, nil)
			case strings.Contains(route, "/classes/{class}"):
				id = s.as(admin).project().ID
				s.as(admin).send("PATCH", "/api/v1/projects/"+id, strings.NewReader(`{"classes":[{"id":0,"name":"sky"},{"id":1,"name":"sea"}]}`))
			case name == "DELETE /api/v1/exports/{id}":
				id = s.as(admin).exported(im.Project, `{"format":"coco"}`).ID
			case strings.Contains(route, "/exports/{id}"):
				id = exported
			case strings.Contains(route, "/projects/"):
				id = im.Project
			}
			got := who.ask(row, method, route, id)
			cells++
			if got.status != row.statuses[i] {
				t.Errorf("%s, %s: %d, want %d: %.200s", name, whos[i], got.status, row.statuses[i], got.body)
			}
			if !strings.Contains(route, "{id}") || got.status == 101 {
				continue
			}
			// What is forbidden looks as if it were not there, and what is not
			// there is not found.
			if u != nil { // the last call may have signed out
				who = s.as(*u)
			}
			unknown := who.ask(row, method, route, segment.NewID())
			cells++
			switch row.statuses[i] {
			case 401, 404:
				if unknown.status != got.status || string(unknown.body) != string(got.body) {
					t.Errorf("%s, %s: an unknown thing can be told from a forbidden one: %d %s, %d %s", name, whos[i], unknown.status, unknown.body, got.status, got.body)
				}
			default:
				if unknown.status != 404 {
					t.Errorf("%s, %s: an unknown thing answers %d", name, whos[i], unknown.status)
				}
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
	t.Logf("%d routes × %d roles, %d requests", len(seen), len(people), cells)
}

// ask makes the call of a row.
func (s *site) ask(row right, method, route, id string) answer {
	s.tb.Helper()
	path := strings.NewReplacer("{id}", id, "{class}", "2", "*", static.Version+"/ui/base.css").Replace(route)
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

// knock opens and closes an image's socket and returns what was answered.
func (s *site) knock(imageID string) answer {
	s.tb.Helper()
	header := http.Header{}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(s.tb.Context(), s.socketURL(imageID), header)
	if resp == nil {
		s.tb.Fatal(err)
	}
	if conn != nil {
		conn.Close()
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil && resp.StatusCode != 101 {
		s.tb.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, b}
}

// messageRights has a row for every kind of message on a socket, and who may
// send it: a viewer, an annotator, an admin. Strangers have no socket.
var messageRights = map[string]struct {
	message string
	may     [3]bool
}{
	"hello":    {`{"type":"hello"}`, [3]bool{true, true, true}},
	"evidence": {evidence(labelAt("same", 0, inSky, 0)), [3]bool{false, true, true}},
	"run":      {`{"type":"run","count":5}`, [3]bool{false, true, true}},
	"stop":     {`{"type":"stop"}`, [3]bool{false, true, true}},
	"credit":   {`{"type":"credit","n":100}`, [3]bool{true, true, true}},
	"suppose":  {`{"type":"suppose","expected_seq":0,"points":[[10,10]],"class":0}`, [3]bool{false, true, true}},
}

func TestRightsOfMessages(t *testing.T) {
	s := MustServe(t, withLogin)
	admin := s.user("admin", access.Admin)
	people := [3]accounts.User{s.user("viewer", access.Viewer), s.user("annotator", access.Annotator), admin}
	im := s.as(admin).photo()
	for _, kind := range live.ClientKinds {
		row, ok := messageRights[kind]
		if !ok {
			t.Errorf("message %s has no row: who may send it?", kind)
			continue
		}
		for i, u := range people {
			c := s.as(u).greet(im.ID)
			c.say(row.message)
			c.say(`{"type":"dance"}`) // the answer to this one comes after all others
			may := true
			for {
				m := c.next()
				if m.Type == "error" && strings.Contains(m.Detail, "dance") {
					break
				}
				if m.Type == "reject" || m.Type == "error" {
					may = false
					if !strings.Contains(m.Detail, "your role (viewer)") {
						t.Errorf("%s, %s: %+v", kind, u.Name, m)
					}
				}
			}
			if may != row.may[i] {
				t.Errorf("%s, %s: may is %v", kind, u.Name, may)
			}
		}
	}
	if len(messageRights) != len(live.ClientKinds) {
		t.Errorf("%d rows, %d kinds of messages", len(messageRights), len(live.ClientKinds))
	}
	var log struct{ Seq int }
	s.as(admin).get("/api/v1/images/"+im.ID+"/evidence").into(t, 200, &log)
	if log.Seq != 1 {
		t.Errorf("%d events are stored, want the annotator's", log.Seq)
	}
}

// A server without login has nothing to sign in to, and everybody is its owner.
func TestWithoutLogin(t *testing.T) {
	s := MustServe(t)
	for _, call := range []string{"GET /login", "POST /login", "POST /logout", "GET /users", "POST /users", "GET /account", "POST /api/v1/session", "DELETE /api/v1/session"} {
		method, path, _ := strings.Cut(call, " ")
		if a := s.send(method, path, nil); a.status != 404 || !strings.Contains(string(a.body), "--auth") {
			t.Errorf("%s: %d %s", call, a.status, a.body)
		}
	}
	var who sessionJSON
	s.get("/api/v1/session").into(t, 200, &who)
	if who.Role != "admin" {
		t.Errorf("everybody is %+v", who)
	}
	if page := s.send("GET", "/", nil, "Accept: text/html").body; strings.Contains(string(page), "Sign out") {
		t.Error("the page offers to sign out")
	}
}

func mustNamed(tb testing.TB, s *site, name string) accounts.User {
	tb.Helper()
	u, err := s.store.UserNamed(tb.Context(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// whoami is the identifier of the user who is signed in.
func (s *site) whoami(tb testing.TB) string {
	tb.Helper()
	var who sessionJSON
	s.get("/api/v1/session").into(tb, 200, &who)
	return mustNamed(tb, s, who.Name).ID
}
