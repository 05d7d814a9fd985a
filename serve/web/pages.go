package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"mapo/serve/sessions"
)

//go:embed pages
var embeddedFiles embed.FS

// registerPages serves the web page: some shells in HTML that scripts fill from
// the API.
func (s *Server) registerPages() {
	s.routes.handle(rightAsk, elsewhere, func(w http.ResponseWriter, r *http.Request) {
		patterns := s.routes.methods(r)
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			if patterns[method] != "" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			refuse(w, http.StatusMethodNotAllowed, "%s is not for %s; %s is", r.Method, r.URL.Path, strings.Join(allowed, " or "))
			return
		}
		refuse(w, http.StatusNotFound, "there is nothing at %s %s; /openapi.json lists what there is", r.Method, r.URL.Path)
	})
	pages := map[string]string{
		"GET /{$}": "index.html", "GET /play/{id}": "play.html", "GET /docs": "docs.html",
	}
	if s.sessions != nil {
		pages["GET /label/{id}"], pages["GET /review/{id}"] = "label.html", "review.html"
	}
	s.routes.handle(rightAsk, "GET /policies/{id}", s.policyPage())
	for pattern, file := range pages {
		s.routes.handle(rightAsk, pattern, asset(file, s.page(file)))
	}
	files, err := fs.ReadDir(embeddedFiles, "pages")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".html") {
			s.routes.handle(rightAsk, "GET /static/"+f.Name(), asset(f.Name(), embedded(f.Name())))
		}
	}
}

// logoutControl ends the navigation of every page where there are tokens.
const logoutControl = `<form method="post" action="` + logoutPath + `"><button>Log out</button></form></nav>`

// page returns an embedded page as this server shows it.
func (s *Server) page(name string) []byte {
	if !s.access.needed() {
		return embedded(name)
	}
	return bytes.Replace(embedded(name), []byte("</nav>"), []byte(logoutControl), 1)
}

// policyPage serves the page of a policy. To an operator it links to the page for reviewing.
func (s *Server) policyPage() http.HandlerFunc {
	const name = "policy.html"
	plain := s.page(name)
	operators := bytes.Replace(plain, []byte(`<main id="main"`), []byte(`<main id="main" data-review`), 1)
	toAll, toOperators := asset(name, plain), asset(name, operators)
	return func(w http.ResponseWriter, r *http.Request) {
		if s.sessions != nil && sessions.RequesterOf(r.Context()).Admin {
			toOperators(w, r)
			return
		}
		toAll(w, r)
	}
}

// embedded returns a file of the page.
func embedded(name string) []byte {
	data, err := embeddedFiles.ReadFile("pages/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// asset serves one file. It may be kept, and is asked for again: it changes with the program.
func asset(name string, data []byte) http.HandlerFunc {
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	kind := mime.TypeByExtension(path.Ext(name))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data) // a client that left needs no answer
	}
}
