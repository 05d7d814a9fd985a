package servetest

import (
	"context"
	"path/filepath"
	"testing"

	"mapo/serve/database"
	"mapo/serve/dbtest"
)

// Stores are the kinds of [Store], each with how to open one twice.
var Stores = map[string]func(t testing.TB) (open func() (database.Store, error)){
	"sqlite": func(t testing.TB) func() (database.Store, error) {
		path := filepath.Join(t.TempDir(), "sessions?#%41.db") // no part of it is to be read as an option
		return func() (database.Store, error) { return database.OpenSQLite(context.Background(), path) }
	},
	"postgres": func(t testing.TB) func() (database.Store, error) {
		dsn := dbtest.PostgresDSN(t)
		return func() (database.Store, error) { return database.OpenPostgres(context.Background(), dsn) }
	},
	"pgbouncer": func(t testing.TB) func() (database.Store, error) {
		dsn := dbtest.BouncerDSN(t)
		return func() (database.Store, error) { return database.OpenPostgres(context.Background(), dsn) }
	},
}

// EachStore runs a test over every kind of store.
func EachStore(t *testing.T, test func(t *testing.T, open func() (database.Store, error))) {
	for name, kind := range Stores {
		t.Run(name, func(t *testing.T) { test(t, kind(t)) })
	}
}

func Opened(t testing.TB, open func() (database.Store, error)) database.Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
