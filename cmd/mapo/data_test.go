package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveFolder is "serve FOLDER": it starts a server of the files in FOLDER and sets
// $SERVER to its address. Under /broken/ it says that a file is longer than it is,
// under /wrong/ it sends other bytes.
func serveFolder(ts *testscript.TestScript, _ bool, args []string) {
	folder := os.DirFS(ts.MkAbs(args[0]))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch kind {
		case "broken":
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte("1\t.5\t"))
			panic(http.ErrAbortHandler)
		case "wrong":
			_, _ = w.Write([]byte("<html>Welcome to the hotel's network</html>\n"))
		default:
			http.ServeFileFS(w, r, folder, name)
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv("SERVER", s.URL)
}
