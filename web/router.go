package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"collie/web/openid"
)

// routes is the table of all routes. openapi.json describes those under
// /api/v1; a test compares the two.
func (s *Server) routes() *chi.Mux {
	r := chi.NewRouter()
	r.Use(s.logRequests, s.recoverPanics, secure, s.loopbackHost, s.sameOrigin, s.identify, middleware.GetHead, s.limitBody)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed(r))

	r.Get("/static/*", s.serveStatic)
	// The next levels take twice to four times as long and save 10 % of a page.
	r.With(middleware.Compress(2)).Group(func(r chi.Router) {
		r.Get("/", s.page(s.startPage))
		r.Get("/projects/{id}", s.page(s.projectPage))
		r.Get("/images/{id}", s.page(s.annotatePage))
		r.Get("/trash", s.page(s.trashPage))
		r.Get("/api", s.page(s.apiPage))
		r.Get("/login", s.page(s.withLogin(s.loginPage)))
		r.Post("/login", s.page(s.withLogin(s.login)))
		r.Get("/login/openid", s.page(s.withOpenID(s.beginOpenID)))
		r.Get(openid.CallbackPath, s.page(s.withOpenID(s.finishOpenID)))
		r.Post("/logout", s.page(s.withSession(s.logout)))
		r.Get("/account", s.page(s.withSession(s.accountPage)))
		r.Post("/account", s.page(s.withSession(s.changePassword)))
		r.Post("/account/tokens", s.page(s.withSession(s.createTokenByForm)))
		r.Post("/account/tokens/{id}/revoke", s.page(s.withSession(s.revokeTokenByForm)))
		r.Get("/users", s.page(s.withLogin(s.usersPage)))
		r.Post("/users", s.page(s.withLogin(s.changeUsers(s.addUser))))
		r.Post("/users/{id}/role", s.page(s.withLogin(s.changeUsers(s.setRole))))
		r.Post("/users/{id}/password", s.page(s.withLogin(s.changeUsers(s.setPassword))))
		r.Post("/users/{id}/remove", s.page(s.withLogin(s.changeUsers(s.removeUser))))
		r.Get("/audit", s.page(s.auditPage))
	})
	r.Get("/healthz", s.healthz)
	r.Get("/readyz", s.api(s.readyz))
	r.Get("/metrics", s.api(s.getMetrics))

	r.Route("/api/v1", func(r chi.Router) {
		r.Get("/openapi.json", s.api(s.openAPI))
		r.Get("/session", s.api(s.getSession))
		r.Post("/session", s.api(s.withLogin(s.createSession)))
		r.Delete("/session", s.api(s.withSession(s.deleteSession)))
		r.Get("/tokens", s.api(s.withSession(s.listTokens)))
		r.Post("/tokens", s.api(s.withSession(s.createToken)))
		r.Delete("/tokens/{id}", s.api(s.withSession(s.revokeToken)))
		r.With(s.patient).Post("/sample", s.api(s.createSample))

		r.Post("/projects", s.api(s.createProject))
		r.Get("/projects", s.api(s.listProjects))
		r.Get("/projects/{id}", s.api(s.getProject))
		r.Patch("/projects/{id}", s.api(s.editProject))
		r.Delete("/projects/{id}", s.api(s.trashProject))
		r.Get("/projects/{id}/classes", s.api(s.getClasses))
		r.Put("/projects/{id}/classes", s.api(s.putClasses))
		r.Post("/projects/{id}/classes/{class}/restore", s.api(s.restoreClass))
		r.Get("/projects/{id}/members", s.api(s.withLogin(s.listMembers)))
		r.Put("/projects/{id}/members/{user}", s.api(s.withLogin(s.setMember)))
		r.Delete("/projects/{id}/members/{user}", s.api(s.withLogin(s.removeMember)))
		r.Get("/projects/{id}/images", s.api(s.listImages))
		r.Put("/projects/{id}/reviews", s.api(s.setReviews))
		r.With(s.uploads).Post("/projects/{id}/imports", s.api(s.importMasks))
		r.With(s.uploads).Post("/imports", s.api(s.importBackup))
		r.With(s.uploads).Post("/projects/{id}/images", s.api(s.uploadImages))

		r.Get("/projects/{id}/learning", s.api(s.getLearning))
		r.Post("/projects/{id}/guesses", s.api(s.prelabel))

		r.Post("/projects/{id}/exports", s.api(s.startExport))
		r.Get("/exports/{id}", s.api(s.getExport))
		r.Delete("/exports/{id}", s.api(s.cancelExport))
		r.With(s.patient).Get("/exports/{id}/file", s.api(s.getExportFile))

		r.With(s.patient).Get("/audit", s.api(s.getAudit))

		r.Get("/trash", s.api(s.listTrash))
		r.Post("/trash/{id}/restore", s.api(s.restore))

		r.Route("/images/{id}", func(r chi.Router) {
			r.Get("/", s.api(s.getImage))
			r.Delete("/", s.api(s.trashImage))
			r.With(s.patient).Get("/evidence", s.api(s.listEvidence))
			r.Post("/evidence", s.api(s.appendEvidence))
			r.Post("/guess", s.api(s.guessImage))
			r.Post("/copy", s.api(s.copyLabelling))
			r.Get("/socket", s.api(s.openSocket))
			r.With(s.patient).Group(func(r chi.Router) {
				r.Get("/display", s.api(s.getDisplay))
				r.Get("/levels", s.api(s.getLevels))
				r.Get("/thumbnail", s.api(s.getThumbnail))
				r.Get("/original", s.api(s.getOriginal))
				r.Get("/superpixels.png", s.api(s.getSuperpixelsPNG))
				r.Get("/superpixels.bin", s.api(s.getSuperpixelsBin))
				r.Get("/hypotheses", s.api(s.listHypotheses))
				r.Get("/ladder", s.api(s.getLadder))
				r.Get("/alternatives", s.api(s.listAlternatives))
				r.Get("/mask.png", s.api(s.getMask))
				r.Get("/objects", s.api(s.getObjects))
			})
		})
	})
	return r
}

// handler is a request handler that leaves errors to the one error mapper.
type handler func(w http.ResponseWriter, r *http.Request) error

// api answers errors of h as application/problem+json.
func (s *Server) api(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.answerJSON(w, r, err)
		}
	}
}

// page answers errors of h with the problem page.
func (s *Server) page(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.answerPage(w, r, err)
		}
	}
}
