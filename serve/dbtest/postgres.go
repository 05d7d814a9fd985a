package dbtest

import (
	"bytes"
	"database/sql"
	"errors"
	flags "flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

// cluster is a PostgreSQL server of the tests' own, and a PgBouncer before it, each started when it is first wanted.
var cluster struct {
	once, onceBouncer sync.Once
	server            *postgresServer
	bouncer           *exec.Cmd
	bouncerPort       int
	err, errBouncer   error
	next              atomic.Int64 // database
}

// leftover is the folders that all tests share, to be removed at the end.
var leftover struct {
	sync.Mutex
	dirs []string
}

func Leave(dir string) {
	leftover.Lock()
	defer leftover.Unlock()
	leftover.dirs = append(leftover.dirs, dir)
}

// Run runs the tests of a package and returns their exit code. helpers are what the test binary does where it is called as "BINARY NAME ARGUMENT…".
func Run(m *testing.M, helpers map[string]func(args []string)) (code int) {
	if len(os.Args) > 2 && helpers[os.Args[1]] != nil {
		helpers[os.Args[1]](os.Args[2:])
		return 0
	}
	return suite.InMemory(whole{m}).Run()
}

// whole is the tests, and the end of what they share.
type whole struct{ *testing.M }

// parallel is how many tests run at once unless -parallel says: most of their time they wait for a browser or a database.
const parallel = 6

// Run runs the tests and returns their exit code.
func (s whole) Run() int {
	if f := flags.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(max(parallel, runtime.GOMAXPROCS(0)))); err != nil {
			panic(err)
		}
	}
	code := s.M.Run()
	if cluster.bouncer != nil {
		_ = cluster.bouncer.Process.Kill()
		_ = cluster.bouncer.Wait()
	}
	if cluster.server != nil {
		cluster.server.Stop(syscall.SIGINT) // fast shutdown
	}
	for _, dir := range leftover.dirs {
		_ = os.RemoveAll(dir)
	}
	return code
}

// ErrMissing names a program of Debian that is not installed.
type ErrMissing string

func (e ErrMissing) Error() string {
	return string(e) + " is not installed (Debian: apt-get install " + string(e) + ")"
}

// Installed skips the test where a package is absent, unless MAPO_CI is set, and fails it on other errors.
func Installed(t testing.TB, err error) {
	t.Helper()
	var missing ErrMissing
	if errors.As(err, &missing) && os.Getenv("MAPO_CI") == "" {
		t.Skip(err)
	}
	must(t, err)
}

// PostgresDSN returns a new database of the cluster's.
func PostgresDSN(t testing.TB) string {
	t.Helper()
	cluster.once.Do(func() { cluster.server, cluster.err = NewPostgres() })
	Installed(t, cluster.err)
	name := fmt.Sprintf("test%d", cluster.next.Add(1))
	db, err := sql.Open("pgx", cluster.server.Dsn("postgres"))
	must(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.Exec("CREATE DATABASE " + name)
	must(t, err)
	return cluster.server.Dsn(name)
}

// BouncerDSN returns a new database behind PgBouncer in transaction mode.
func BouncerDSN(t testing.TB) string {
	t.Helper()
	dsn := PostgresDSN(t)
	cluster.onceBouncer.Do(func() { cluster.errBouncer = startBouncer() })
	Installed(t, cluster.errBouncer)
	return strings.Replace(dsn, strconv.Itoa(cluster.server.port), strconv.Itoa(cluster.bouncerPort), 1)
}

// postgresServer is a PostgreSQL server on loopback, with a data folder of its own.
type postgresServer struct {
	bin, dir string
	port     int
	as       *syscall.SysProcAttr
	cmd      *exec.Cmd
	said     *bytes.Buffer
}

func (p *postgresServer) Dsn(name string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", p.port, name)
}

// NewPostgres makes a server's data folder and starts it.
func NewPostgres() (p *postgresServer, err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, ErrMissing("postgresql")
	}
	p = &postgresServer{bin: filepath.Dir(found[len(found)-1])}
	if p.dir, p.as, err = folderNotRoot("mapo-postgres-"); err != nil {
		return nil, err
	}
	initdb := exec.Command(filepath.Join(p.bin, "initdb"), "-D", filepath.Join(p.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C")
	initdb.SysProcAttr, initdb.Dir = p.as, p.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if p.port, err = FreePort(); err != nil {
		return nil, err
	}
	return p, p.Start()
}

// Start starts the server, which may have been killed before, and waits for it.
func (p *postgresServer) Start() error {
	for range 100 { // until the processes of one that was killed have ended
		p.cmd = exec.Command(filepath.Join(p.bin, "postgres"), "-D", filepath.Join(p.dir, "data"), "-k", p.dir, "-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-c", "max_connections=300")
		p.said = new(bytes.Buffer)
		p.cmd.SysProcAttr, p.cmd.Dir, p.cmd.Stderr = p.as, p.dir, p.said
		if err := p.cmd.Start(); err != nil {
			return err
		}
		ended := make(chan struct{})
		go func() { _ = p.cmd.Wait(); close(ended) }()
		for waiting := true; waiting; {
			select {
			case <-ended:
				waiting = false
			case <-time.After(50 * time.Millisecond):
				if reached(p.Dsn("postgres")) == nil {
					return nil
				}
			}
		}
	}
	return errors.New("PostgreSQL does not start: " + p.said.String())
}

// reached reports why a database does not answer.
func reached(dsn string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	return errors.Join(db.Ping(), db.Close())
}

// Stop ends the server by a signal and waits for it.
func (p *postgresServer) Stop(how os.Signal) {
	_ = p.cmd.Process.Signal(how)
	for p.cmd.Process.Signal(syscall.Signal(0)) == nil { // start's goroutine waits for it
		time.Sleep(5 * time.Millisecond)
	}
}

// startBouncer starts PgBouncer. Debian's knows no prepared statements.
func startBouncer() error {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return ErrMissing("pgbouncer")
		}
	}
	dir, as, err := folderNotRoot("mapo-pgbouncer-")
	if err != nil {
		return err
	}
	if cluster.bouncerPort, err = FreePort(); err != nil {
		return err
	}
	ini := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 6\nserver_idle_timeout = 2\nmax_client_conn = 500\n",
		cluster.server.port, cluster.bouncerPort)
	if err := os.WriteFile(ini, []byte(text), 0o644); err != nil {
		return err
	}
	cmd, said := exec.Command(bin, ini), new(bytes.Buffer)
	cmd.SysProcAttr, cmd.Dir, cmd.Stderr = as, dir, said
	if err := cmd.Start(); err != nil {
		return err
	}
	cluster.bouncer = cmd
	for began := time.Now(); time.Since(began) < suite.Patience; time.Sleep(50 * time.Millisecond) {
		if err = reached(fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", cluster.bouncerPort)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("PgBouncer does not answer: %w\n%s", err, said)
}

// FreePort returns one that was free just now.
func FreePort() (int, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return free.Addr().(*net.TCPAddr).Port, free.Close()
}

// ClusterTime returns what the cluster's processes have used of the processors; 0 where
// there is no /proc.
func ClusterTime() time.Duration {
	if cluster.server == nil {
		return 0
	}
	const tick = 10 * time.Millisecond
	root, ticks := strconv.Itoa(cluster.server.cmd.Process.Pid), 0
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

// folderNotRoot makes a folder, and says how to run as its owner: the user postgres where the tests are root's, whom
// PostgreSQL and PgBouncer refuse.
func folderNotRoot(name string) (dir string, as *syscall.SysProcAttr, err error) {
	if dir, err = os.MkdirTemp("", name); err != nil {
		return "", nil, err
	}
	Leave(dir)
	if os.Geteuid() != 0 {
		return dir, nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return "", nil, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return dir, as, errors.Join(err1, err2, os.Chown(dir, uid, gid))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Processes returns the server's own process and those of its connections.
func (p *postgresServer) Processes() (list []int) {
	root := strconv.Itoa(p.cmd.Process.Pid)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, _ := os.ReadFile(path)
		_, after, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(after); len(f) > 1 && (f[1] == root || path == "/proc/"+root+"/stat") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			list = append(list, pid)
		}
	}
	return list
}
