package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"collie/segment/export"
	"collie/segment/export/jobs"
	"collie/web/openapi"
	"collie/web/people"
	"collie/web/problem"
	"collie/web/wire"
)

// schemas are the types that the document names.
var schemas = sync.OnceValue(func() *openapi.Schemas {
	return openapi.NewSchemas(map[string]any{
		"Class": wire.Class{}, "DeletedClass": wire.DeletedClass{}, "Project": wire.Project{}, "NewProject": newProjectJSON{}, "ProjectEdit": projectEditJSON{},
		"TrashItem": wire.TrashItem{}, "Image": wire.Image{}, "OpenImage": wire.OpenImage{}, "FailedFile": problem.File{}, "Levels": levelsJSON{},
		"NewEvent": wire.Evidence{}, "Event": eventJSON{}, "Evidence": evidenceListJSON{}, "Seq": seqJSON{}, "Pick": wire.Pick{}, "Offer": wire.Offer{}, "Repair": wire.Repair{}, "LoggedRepair": loggedRepairJSON{},
		"Hypothesis": wire.Hypothesis{}, "Hypotheses": hypothesesJSON{}, "GuessedLabelling": guessedJSON{}, "Ladder": ladderJSON{}, "Alternatives": alternativesJSON{}, "Problem": problem.Problem{}, "Session": people.Session{},
		"NewExport": exportBody{}, "Export": jobs.Status{}, "ExportOptions": export.Options{}, "ExportReport": export.Report{},
		"Import": importJSON{}, "ImportedImage": importedImageJSON{}, "Review": wire.Review{}, "NewReview": newReviewJSON{}, "Member": memberJSON{}, "NewMember": newMemberJSON{}, "AuditEntry": people.Entry{}, "Token": people.Token{}, "NewToken": people.NewToken{},
	})
})

// pathParameters are the parameters in paths, by the segment before them.
var pathParameters = map[string]openapi.Parameter{
	"projects": {Name: "id", Description: "identifier of the project", Schema: openapi.Schema{"type": "string"}},
	"images":   {Name: "id", Description: "identifier of the image", Schema: openapi.Schema{"type": "string"}},
	"exports":  {Name: "id", Description: "identifier of the export", Schema: openapi.Schema{"type": "string"}},
	"tokens":   {Name: "id", Description: "identifier of the API token", Schema: openapi.Schema{"type": "string"}},
	"trash":    {Name: "id", Description: "identifier of the item in the trash", Schema: openapi.Schema{"type": "string"}},
	"members":  {Name: "user", Description: "name of the user", Schema: openapi.Schema{"type": "string"}},
	"classes":  {Name: "class", Description: "id of the class", Schema: openapi.Schema{"type": "integer", "minimum": 0, "maximum": 254}},
}

// operation describes the call of a method and a path in the document.
func (c call) operation(method, path string) *openapi.Operation {
	op := &openapi.Operation{OperationID: c.id, Summary: c.summary, Description: c.doc, Responses: map[string]openapi.Response{}}
	before := ""
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, "{") {
			p := pathParameters[before]
			p.In, p.Required = "path", true
			op.Parameters = append(op.Parameters, p)
		}
		before = part
	}
	for _, q := range c.query {
		op.Parameters = append(op.Parameters, q.Parameter())
	}
	if people.Public(path) {
		op.Security = &[]map[string][]string{}
	}
	if c.takes != nil {
		op.RequestBody = &openapi.Body{Required: true, Content: c.takes.media()}
	}
	status := c.status
	if status == 0 {
		status = http.StatusOK
	}
	op.Responses[strconv.Itoa(status)] = openapi.Response{Description: http.StatusText(status), Content: c.sends.media()}
	if c.parts || c.conditional {
		op.Responses["304"] = openapi.Response{Description: "Not changed since the ETag or time in the request"}
	}
	if c.parts {
		op.Responses["206"] = openapi.Response{Description: "The requested range", Content: c.sends.media()}
	}
	for _, status := range c.allProblems(method, path) {
		op.Responses[strconv.Itoa(status)] = openapi.Response{Ref: "#/components/responses/Problem"}
	}
	return op
}

func (c content) media() map[string]openapi.Media {
	if c == nil {
		return nil
	}
	out := map[string]openapi.Media{}
	for kind, v := range c {
		out[kind] = openapi.Media{Schema: schemas().Of(v)}
	}
	return out
}

// allProblems are the statuses of the problems that a call can have: its own,
// and those that follow from its kind.
func (c call) allProblems(method, path string) []int {
	all := slices.Concat(c.problems, []int{http.StatusMisdirectedRequest, http.StatusInternalServerError, http.StatusServiceUnavailable})
	if !people.Anonymous(path) {
		all = append(all, http.StatusUnauthorized, http.StatusNotFound) // 404 for tokens that are only for metrics
	}
	if method != http.MethodDelete && strings.HasPrefix(path, "/api/v1/images/{id}") {
		all = append(all, http.StatusTooManyRequests) // images in use, and what is made of them, wait for memory
	}
	if method != http.MethodGet { // another site's page, a role, the size of the body, a full disk
		all = append(all, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage)
	}
	if len(c.query) > 0 || c.takes != nil {
		all = append(all, http.StatusUnprocessableEntity)
	}
	if c.parts {
		all = append(all, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable)
	}
	if c.takes != nil {
		all = append(all, http.StatusBadRequest, http.StatusRequestTimeout, http.StatusTooManyRequests, // large bodies wait for memory
			http.StatusUnsupportedMediaType) // files of any type, compressed bodies
	}
	return all
}

// apiDocument is the OpenAPI document of the calls.
var apiDocument = sync.OnceValue(func() []byte {
	doc := openapi.Document{
		OpenAPI: openapi.Version,
		Info: openapi.Info{
			Title: "Collie", Version: "1",
			Description: "Interactive image segmentation: projects, images, evidence, hypotheses and masks. Errors are application/problem+json (RFC 9457).",
			License:     openapi.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []openapi.Server{{URL: "/", Description: "the server that this document comes from"}},
		Paths:   map[string]map[string]*openapi.Operation{},
		Components: openapi.Components{
			Schemas: schemas().Named(),
			Responses: map[string]openapi.Response{"Problem": {
				Description: "What went wrong, for people and programs",
				Content:     map[string]openapi.Media{"application/problem+json": {Schema: schemas().Of(problem.Problem{})}},
			}},
			SecuritySchemes: map[string]openapi.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer", Description: "An API token, from the account page or POST /api/v1/tokens, or the token of a session. Not needed on a server without login."},
				"cookie": {Type: "apiKey", In: "cookie", Name: people.PlainCookie, Description: "The session of a browser; over https the cookie is called " + people.SecureCookie + "."},
			},
		},
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}},
	}
	for route, c := range calls {
		method, path, _ := strings.Cut(route, " ")
		if doc.Paths[path] == nil {
			doc.Paths[path] = map[string]*openapi.Operation{}
		}
		doc.Paths[path][strings.ToLower(method)] = c.operation(method, path)
	}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(err) // it holds nothing but maps, lists, texts and numbers
	}
	return append(b, '\n')
})

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	s.answers.Bytes(w, http.StatusOK, "application/json", apiDocument())
	return nil
}
