package serve

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cluster is a PostgreSQL server of the tests' own, on loopback, started when it
// is first wanted.
var cluster struct {
	once sync.Once
	cmd  *exec.Cmd
	dir  string
	port int
	err  error
	next int // database
}

// leftover is the folders that all tests share, to be removed at the end.
var leftover []string

func TestMain(m *testing.M) {
	code := m.Run()
	if cluster.cmd != nil {
		_ = cluster.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = cluster.cmd.Wait()
		leftover = append(leftover, cluster.dir)
	}
	for _, dir := range leftover {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

var errNoPostgres = errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")

// postgresDSN is a new database of the cluster's. Where PostgreSQL is absent the
// test is skipped, and fails where MAPO_CI is set.
func postgresDSN(t testing.TB) string {
	t.Helper()
	cluster.once.Do(func() { cluster.err = startCluster() })
	if errors.Is(cluster.err, errNoPostgres) && os.Getenv("MAPO_CI") == "" {
		t.Skip(cluster.err)
	}
	if cluster.err != nil {
		t.Fatal(cluster.err)
	}
	cluster.next++
	name := fmt.Sprintf("test%d", cluster.next)
	db, err := sql.Open("pgx", clusterDSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	return clusterDSN(name)
}

func clusterDSN(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", cluster.port, database)
}

func startCluster() error {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return errNoPostgres
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "mapo-postgres-")
	if err != nil {
		return err
	}
	cluster.dir = dir
	as, err := notRoot(dir)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	cluster.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-h", "127.0.0.1", "-p", strconv.Itoa(cluster.port))
	cmd.SysProcAttr, cmd.Dir = as, dir
	said := new(bytes.Buffer)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return err
	}
	cluster.cmd = cmd
	for range 300 {
		db, err := sql.Open("pgx", clusterDSN("postgres"))
		if err == nil {
			err = errors.Join(db.Ping(), db.Close())
		}
		if err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("PostgreSQL does not start: " + said.String())
}

// clusterTime is what the cluster's processes have used of the processors; 0 where
// there is no /proc.
func clusterTime() time.Duration {
	if cluster.cmd == nil {
		return 0
	}
	const tick = 10 * time.Millisecond
	root, ticks := strconv.Itoa(cluster.cmd.Process.Pid), 0
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, _ := os.ReadFile(path) // of a process that has ended its parent has the time
		_, after, _ := strings.Cut(string(data), ") ")
		f := strings.Fields(after) // state, parent, …: proc(5) from its third field on
		if len(f) < 15 || (f[1] != root && path != "/proc/"+root+"/stat") {
			continue
		}
		for _, text := range f[11:15] { // its own, and of its children that have ended
			n, _ := strconv.Atoi(text)
			ticks += n
		}
	}
	return time.Duration(ticks) * tick
}

// notRoot is how to run as the user postgres, which root must: PostgreSQL refuses
// root. The folder becomes that user's.
func notRoot(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// stores are the kinds of [Store], each with how to open one twice.
var stores = map[string]func(t testing.TB) (open func() (Store, error)){
	"sqlite": func(t testing.TB) func() (Store, error) {
		path := filepath.Join(t.TempDir(), "sessions?#%41.db") // no part of it is to be read as an option
		return func() (Store, error) { return OpenSQLite(context.Background(), path) }
	},
	"postgres": func(t testing.TB) func() (Store, error) {
		dsn := postgresDSN(t)
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
