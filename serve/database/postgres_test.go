package database

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mapo/serve/dbtest"
)

// TestPostgresFaults: an address that cannot be read or reached is said without
// its password.
func TestPostgresFaults(t *testing.T) {
	for _, dsn := range []string{"postgres://u:hush-hush@127.0.0.1:1/db?connect_timeout=2", "postgres://u:hush-hush@[::1/db", "postgres://u:hush-hush@127.0.0.1:99999/db"} {
		s, err := OpenPostgres(t.Context(), dsn)
		if err == nil {
			t.Fatal(s.Close())
		}
		if strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "PostgreSQL") {
			t.Errorf("error %q", err)
		}
	}
}

// TestPooler: named prepared statements are used where the server itself answers, and not behind a pooler, unless the
// address says how.
func TestPooler(t *testing.T) {
	for dsn, want := range map[string]pgx.QueryExecMode{
		dbtest.PostgresDSN(t): pgx.QueryExecModeCacheStatement,
		dbtest.BouncerDSN(t):  pgx.QueryExecModeExec,
		dbtest.BouncerDSN(t) + "&default_query_exec_mode=simple_protocol": pgx.QueryExecModeSimpleProtocol,
	} {
		config, err := pgx.ParseConfig(dsn)
		must(t, err)
		must(t, unnameBehindPooler(t.Context(), config))
		if config.DefaultQueryExecMode != want {
			t.Errorf("%s: mode %v, want %v", dsn, config.DefaultQueryExecMode, want)
		}
	}
}

// stores are the kinds of [Store], each with how to open one twice.
var stores = map[string]func(t testing.TB) (open func() (Store, error)){
	"sqlite": func(t testing.TB) func() (Store, error) {
		path := filepath.Join(t.TempDir(), "sessions?#%41.db") // no part of it is to be read as an option
		return func() (Store, error) { return OpenSQLite(context.Background(), path) }
	},
	"postgres": func(t testing.TB) func() (Store, error) {
		dsn := dbtest.PostgresDSN(t)
		return func() (Store, error) { return OpenPostgres(context.Background(), dsn) }
	},
	"pgbouncer": func(t testing.TB) func() (Store, error) {
		dsn := dbtest.BouncerDSN(t)
		return func() (Store, error) { return OpenPostgres(context.Background(), dsn) }
	},
}

// eachStore runs a test over every kind of store.
func eachStore(t *testing.T, test func(t *testing.T, open func() (Store, error))) {
	for name, kind := range stores {
		t.Run(name, func(t *testing.T) { test(t, kind(t)) })
	}
}

func opened(t testing.TB, open func() (Store, error)) Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
