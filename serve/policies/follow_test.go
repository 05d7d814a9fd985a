package policies_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// TestInstall: a version of a base that is no longer in service, or an older version, is not put into service.
func TestInstall(t *testing.T) {
	path := servetest.WriteTable(t, servetest.Pets)
	_, set := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{Learn: learning.Options{Every: 1}}, path)
	version := func(base *policies.Policy, n int) *policies.Policy {
		p, err := base.Learned(base.Table, n, 0)
		must(t, err)
		return p
	}
	was := set.Get("pets").Given()
	if set.Install(version(was, 0)) || !set.Install(version(was, 2)) || set.Install(version(was, 1)) {
		t.Error("an older version is put into service, or a newer one is not")
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(servetest.Pets, "0.95", "0.9", 1)), 0o600))
	set.Renew(slog.New(slog.DiscardHandler))
	if now := set.Get("pets"); now.Given() == was || set.Install(version(was, 3)) || set.Get("pets") != now {
		t.Error("a version of the old base is put into service")
	}
}
