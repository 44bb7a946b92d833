package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"collie/web/openid"
	"collie/web/people"
	"collie/web/problem"
)

// routes is the table of all routes. openapi.json describes those under
// /api/v1; a test compares the two.
func (s *Server) routes() *chi.Mux {
	api, page, who := s.answers.API, s.answers.Page, s.people
	r := chi.NewRouter()
	r.Use(unescaped, s.logRequests, s.recoverPanics, secure, s.loopbackHost, s.sameOrigin, who.Identify, middleware.GetHead, s.limitBody)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed(r))

	r.Get("/static/*", s.serveStatic)
	// The next levels take twice to four times as long and save 10 % of a page.
	compress := middleware.Compress(2)
	r.With(compress).Group(func(r chi.Router) {
		r.Get("/", page(s.startPage))
		r.Get("/projects/{id}", page(s.projectPage))
		r.Get("/images/{id}", page(s.annotatePage))
		r.Get("/trash", page(s.trashPage))
		r.Get("/api", page(s.apiPage))
		r.Get("/login", page(who.WithLogin(who.LoginPage)))
		r.Post("/login", page(who.WithLogin(who.Login)))
		r.Get("/login/openid", page(who.WithOpenID(who.BeginOpenID)))
		r.Get(openid.CallbackPath, page(who.WithOpenID(who.FinishOpenID)))
		r.Get(people.JoinPath, page(who.WithLogin(who.JoinPage)))
		r.Post(people.JoinPath, page(who.WithLogin(who.Join)))
		r.Post("/logout", page(who.WithSession(who.Logout)))
		r.Get("/account", page(who.WithSession(who.AccountPage)))
		r.Post("/account", page(who.WithSession(who.ChangePassword)))
		r.Post("/account/tokens", page(who.WithSession(who.CreateTokenByForm)))
		r.Post("/account/tokens/{id}/revoke", page(who.WithSession(who.RevokeTokenByForm)))
		r.Get("/users", page(who.WithLogin(who.UsersPage)))
		r.Post("/users", page(who.WithSession(who.ChangeUsers(who.AddUser))))
		r.Post("/users/{id}/role", page(who.WithSession(who.ChangeUsers(who.SetRole))))
		r.Post("/users/{id}/password", page(who.WithSession(who.ChangeUsers(who.SetPassword))))
		r.Post("/users/{id}/invite", page(who.WithSession(who.ChangeUsers(who.InviteUser))))
		r.Post("/users/{id}/remove", page(who.WithSession(who.ChangeUsers(who.RemoveUser))))
		r.Get("/audit", page(who.AuditPage))
	})
	r.Get("/healthz", s.healthz)
	r.Get("/readyz", api(s.readyz))
	r.Get("/metrics", api(s.getMetrics))

	r.Route("/api/v1", func(r chi.Router) {
		r.Get("/openapi.json", api(s.openAPI))
		r.Get("/session", api(who.GetSession))
		r.Post("/session", api(who.WithLogin(who.CreateSession)))
		r.Delete("/session", api(who.WithSession(who.DeleteSession)))
		r.Get("/tokens", api(who.WithSession(who.ListTokens)))
		r.Post("/tokens", api(who.WithSession(who.CreateToken)))
		r.Delete("/tokens/{id}", api(who.WithSession(who.RevokeToken)))
		r.With(s.patient).Post("/sample", api(s.createSample))

		r.Post("/projects", api(s.createProject))
		r.Get("/projects", api(s.listProjects))
		r.Get("/projects/{id}", api(s.getProject))
		r.Patch("/projects/{id}", api(s.editProject))
		r.Delete("/projects/{id}", api(s.trashProject))
		r.Get("/projects/{id}/classes", api(s.getClasses))
		r.Put("/projects/{id}/classes", api(s.putClasses))
		r.Post("/projects/{id}/classes/{class}/restore", api(s.restoreClass))
		r.Get("/projects/{id}/members", api(who.WithLogin(s.listMembers)))
		r.Put("/projects/{id}/members/{user}", api(who.WithLogin(s.setMember)))
		r.Delete("/projects/{id}/members/{user}", api(who.WithLogin(s.removeMember)))
		r.With(compress).Get("/projects/{id}/images", api(s.listImages))
		r.Put("/projects/{id}/reviews", api(s.setReviews))
		r.Put("/projects/{id}/assignments", api(s.assignImages))
		r.Put("/projects/{id}/trash", api(s.trashImages))
		r.With(s.uploads).Post("/projects/{id}/imports", api(s.importMasks))
		r.With(s.uploads).Post("/imports", api(s.importBackup))
		r.With(s.uploads).Post("/projects/{id}/images", api(s.uploadImages))

		r.With(compress).Get("/projects/{id}/learning", api(s.getLearning))
		r.Post("/projects/{id}/guesses", api(s.prelabel))

		r.Post("/projects/{id}/exports", api(s.startExport))
		r.Get("/exports/{id}", api(s.getExport))
		r.Delete("/exports/{id}", api(s.cancelExport))
		r.With(s.patient).Get("/exports/{id}/file", api(s.getExportFile))

		r.With(s.patient).Get("/audit", api(who.GetAudit))

		r.With(compress).Get("/trash", api(s.listTrash))
		r.Post("/trash/{id}/restore", api(s.restore))

		// No Route for these: a mount takes every method of its address, so that a wrong
		// one would be answered with all methods, and HEAD with 405.
		r.Get("/images/{id}", api(s.getImage))
		r.Delete("/images/{id}", api(s.trashImage))
		r.With(s.patient).Get("/images/{id}/evidence", api(s.listEvidence))
		r.Post("/images/{id}/evidence", api(s.appendEvidence))
		r.Post("/images/{id}/guess", api(s.guessImage))
		r.Post("/images/{id}/copy", api(s.copyLabelling))
		r.Get("/images/{id}/socket", api(s.openSocket))
		r.With(s.patient).Group(func(r chi.Router) {
			r.Get("/images/{id}/display", api(s.getDisplay))
			r.Get("/images/{id}/levels", api(s.getLevels))
			r.Get("/images/{id}/thumbnail", api(s.getThumbnail))
			r.Get("/images/{id}/original", api(s.getOriginal))
			r.Get("/images/{id}/superpixels.png", api(s.getSuperpixelsPNG))
			r.Get("/images/{id}/superpixels.bin", api(s.getSuperpixelsBin))
			r.Get("/images/{id}/hypotheses", api(s.listHypotheses))
			r.Get("/images/{id}/guess", api(s.getGuess))
			r.Get("/images/{id}/ladder", api(s.getLadder))
			r.Get("/images/{id}/alternatives", api(s.listAlternatives))
			r.Get("/images/{id}/mask.png", api(s.answers.Complete(s.memory, "image/png", s.mask)))
			r.Get("/images/{id}/objects", api(s.getObjects))
		})
	})
	return r
}

// unescaped lets the routes see an address as it reads, however much of it is escaped.
// chi would hand over names as they were sent, and browsers escape the @ in one.
func unescaped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chi.RouteContext(r.Context()).RoutePath = r.URL.Path
		next.ServeHTTP(w, r)
	})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.answers.Problem(w, r, &problem.Refusal{Status: http.StatusNotFound, Detail: "This page doesn't exist or is in the trash. API calls are listed at /api."})
}

// methods are those of all routes, in the order in which people are shown them.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// methodNotAllowed answers 405 with the methods that the address accepts, and 404 if it
// accepts none.
func (s *Server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range methods {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
				if m == http.MethodGet {
					allowed = append(allowed, http.MethodHead) // see middleware.GetHead
				}
			}
		}
		if allowed == nil { // chi takes a method that it doesn't know for a wrong one
			s.notFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.answers.Problem(w, r, &problem.Refusal{Status: http.StatusMethodNotAllowed, Detail: fmt.Sprintf("%s is not possible at this address; use %s.", r.Method, strings.Join(allowed, ", "))})
	}
}
