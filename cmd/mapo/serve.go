package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/run"
	"mapo/serve/database"
	"mapo/serve/mcp"
	"mapo/serve/policies"
	"mapo/serve/sessions"
	"mapo/serve/web"
)

// serveFlags are the flags of mapo serve, as given.
type serveFlags struct {
	source
	addr, db, dbFile, askFile, adminFile string
	hosts, proxies                       []string
	insecure, verbose, mcp               bool
	rate                                 float64
	maxBody                              byteSize
	learn                                learnFlags
	sessions                             sessions.Options
}

// Environment variables of mapo serve.
const (
	envDB    = "MAPO_DB"
	envAsk   = "MAPO_ASK_TOKEN"
	envAdmin = "MAPO_ADMIN_TOKEN"
)

const (
	remoteRate  = 50 // requests a second and client, where others than this machine may come
	serveManual = `serve offers policies over HTTP and on a web page, where people play games and label in sessions
(docs/serve.md). A POLICY is a policy file; a table or spec, which is played without training; or, with
--problem, a name such as information:0.03 or a program, 'cmd:python3 my_policy.py' (docs/other-languages.md).
Its id is its file's base name, or NAME where NAME=POLICY is given. On SIGHUP files, tables and specs are
read again and programs started anew; what is broken is refused, and the old policy stays.

It listens on this machine alone unless --addr says otherwise, and elsewhere only with tokens. They are read
from MAPO_ASK_TOKEN and MAPO_ADMIN_TOKEN (several with commas between) or from files, one a line: with the
first a client may play and label, with the second also list and delete sessions and read the metrics. A
proxy on this machine opens a server without tokens to others: set tokens first, and name the proxy by
--trusted-proxy.

Sessions are kept in SQLite or PostgreSQL. Without --db the file is mapo-sessions.db: in the current folder
if it is there already, else in the user's data folder, which is $XDG_DATA_HOME/mapo or ~/.local/share/mapo
on Linux. An address with a password belongs in MAPO_DB or --db-file, because others on the machine can read
a command line.

With --learn the tables of policies without training learn from games whose truth is told. With --mcp an
agent that starts the command has the same as five verbs over standard input and output; sessions are then
kept in memory unless --db or MAPO_DB says where.`
)

func serveCommand() *cobra.Command {
	f := serveFlags{}
	c := &cobra.Command{
		Use:   "serve [NAME=]POLICY…",
		Short: "An HTTP API and a web page over policy files",
		Long:  serveManual,
		Args:  args(cobra.MinimumNArgs(1)),
		RunE:  func(c *cobra.Command, list []string) error { return f.start(c, list) },
	}
	flags := c.Flags()
	f.source.flags(flags, serveTimeout)
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "where to listen")
	flags.StringVar(&f.db, "db", "", "where sessions are kept: a file, or postgres://… (default "+database.DefaultFile+" in the current folder if it is there, else in the user's data folder)")
	flags.StringVar(&f.dbFile, "db-file", "", "a file that holds what --db says")
	flags.StringVar(&f.askFile, "ask-token-file", "", "tokens for playing and labelling, one a line")
	flags.StringVar(&f.adminFile, "admin-token-file", "", "tokens for everything, one a line")
	flags.StringSliceVar(&f.hosts, "host", nil, "another name the server is called by")
	flags.StringSliceVar(&f.proxies, "trusted-proxy", nil, "a proxy's address or network (CIDR), whose X-Forwarded-For says which client a request is from; may be repeated")
	flags.BoolVar(&f.insecure, "insecure", false, "serve others without tokens, beyond this machine or behind a proxy: everybody who reaches it may do everything")
	flags.BoolVar(&f.mcp, "mcp", false, "speak MCP over standard input and output instead, for an agent: next, answer, guess, truth, recommend")
	flags.BoolVar(&f.verbose, "verbose", false, "log every request")
	flags.Float64Var(&f.rate, "rate", 0, fmt.Sprintf("requests a second and client (0: no limit; default: none on this machine alone without --trusted-proxy, else %d)", remoteRate))
	flags.IntVar(&f.sessions.Max, "max-sessions", 100_000, "sessions without an answer kept at once")
	flags.IntVar(&f.sessions.MaxAnswered, "max-answered", 1_000_000, "sessions with an answer kept at once; the log mentions it from 80 % on")
	flags.DurationVar(&f.sessions.TTL, "session-ttl", 0, "how long a session is kept after its last turn (default: for good once it has an answer, a day before)")
	f.learn.add(flags)
	flags.Var(&f.maxBody, "max-body", "the largest body of a request, such as 64KiB (default: what a whole game of the policies served can need)")
	return c
}

// start runs mapo serve.
func (f *serveFlags) start(c *cobra.Command, list []string) error {
	switch {
	case !(f.rate >= 0 && f.rate <= math.MaxInt32):
		return fmt.Errorf("--rate is %g: give requests a second, or 0 for no limit", f.rate)
	case f.maxBody < 1 && c.Flags().Changed("max-body"):
		return fmt.Errorf("--max-body is %d, want at least 1", f.maxBody)
	case f.sessions.Max < 1:
		return fmt.Errorf("--max-sessions is %d, want at least 1", f.sessions.Max)
	case f.sessions.MaxAnswered < 1:
		return fmt.Errorf("--max-answered is %d, want at least 1", f.sessions.MaxAnswered)
	case c.Flags().Changed("session-ttl") && f.sessions.TTL <= 0:
		return fmt.Errorf("--session-ttl is %s, want more than 0", f.sessions.TTL)
	}
	if err := f.source.checkFlags(serveTimeout); err != nil {
		return err
	}
	var err error
	if f.sessions.Learn, err = f.learn.options(c); err != nil {
		return err
	}
	for _, host := range f.hosts {
		if err := web.CheckHost(host); err != nil {
			return fmt.Errorf("--host: %w", err)
		}
	}
	if f.mcp {
		return f.agent(c, list)
	}
	o, err := f.options(c)
	if err != nil {
		return err
	}
	set, err := f.set(c.Context(), list, o.Log)
	if err != nil {
		return err
	}
	defer set.Close()
	ln, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w: choose another address, such as 127.0.0.1:0 for any free port", err)
	}
	store, where, err := f.store(c.Context(), o.Log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	f.began(o, len(list), where)
	return errors.Join(f.serve(c, ln, set, store, o), store.Close())
}

// set opens the policies. Their programs live until the set is closed, for requests that are under way when ctx ends.
func (f *serveFlags) set(ctx context.Context, list []string, log *slog.Logger) (*policies.Set, error) {
	f.programs = programOptions{lasting: true, failed: func(err error) {
		log.Error("a policy's program failed and is started again", "error", err)
	}}
	f.say, f.measures = func(text string) { log.Info(text) }, true
	lasting := context.WithoutCancel(ctx)
	set, err := policies.NewSet(list, func(path string) (*policies.Policy, error) { return f.open(lasting, path) })
	if err != nil {
		return nil, err
	}
	if err := f.idle(set.All()...); err != nil {
		set.Close()
		return nil, err
	}
	return set, nil
}

// began logs that the server starts.
func (f *serveFlags) began(o web.Options, policies int, where string) {
	tokens := len(o.AskTokens) + len(o.AdminTokens)
	fields := []any{"policies", policies, "sessions", where, "tokens", tokens}
	if tokens == 0 {
		fields = append(fields, "warning", "without tokens, any proxy on this machine opens the server to others")
	}
	o.Log.Info("serving", fields...)
}

// ofHTTP are the flags that mean nothing where no address is listened on.
var ofHTTP = []string{"addr", "ask-token-file", "admin-token-file", "host", "trusted-proxy", "insecure", "rate", "max-body"}

// agent runs mapo serve --mcp.
func (f *serveFlags) agent(c *cobra.Command, list []string) error {
	for _, name := range ofHTTP {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is for HTTP, and with --mcp nothing listens on an address: leave one of them out", name)
		}
	}
	log, ctx := f.logger(c.ErrOrStderr()), c.Context()
	set, err := f.set(ctx, list, log)
	if err != nil {
		return err
	}
	defer set.Close()
	open := func() (store database.Store, err error) {
		if f.defaults() {
			return database.OpenTemporary(ctx)
		}
		store, _, err = f.store(ctx, log)
		return store, err
	}
	store, err := open()
	if err != nil {
		return err
	}
	f.sessions.Log = log
	kept, err := sessions.New(ctx, set, store, f.sessions)
	if err == nil {
		stop := tend(ctx, set, kept, log)
		err = mcp.Serve(ctx, kept, run.Version(), io.NopCloser(c.InOrStdin()), unclosed{c.OutOrStdout()})
		stop()
	}
	return errors.Join(err, store.Close())
}

// unclosed is a writer that is the process's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// serve answers requests on ln until the command is interrupted.
func (f *serveFlags) serve(c *cobra.Command, ln net.Listener, set *policies.Set, store database.Store, o web.Options) error {
	ctx := c.Context()
	f.sessions.Log = o.Log
	kept, err := sessions.New(ctx, set, store, f.sessions)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer tend(ctx, set, kept, o.Log)()
	if _, err := fmt.Fprintf(c.OutOrStdout(), "http://%s/\n", ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	return web.New(set, kept, o).Serve(ctx, ln)
}

// tend reads the policy files again on SIGHUP, forgets expired sessions and has tables learn, until stop.
func tend(ctx context.Context, set *policies.Set, kept *sessions.Sessions, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	var wg sync.WaitGroup
	wg.Go(func() { kept.Sweep(ctx) })
	wg.Go(func() { kept.Tables().Teach(ctx) })
	wg.Go(func() {
		for {
			select {
			case <-hup:
				set.Renew(log)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		signal.Stop(hup)
		cancel()
		wg.Wait()
	}
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.verbose {
		o.Level = slog.LevelDebug
	}
	if console.Terminal(w) != nil {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

// store opens where sessions are kept; where says it without a password.
func (f *serveFlags) store(ctx context.Context, log *slog.Logger) (store database.Store, where string, err error) {
	db, err := f.database(log)
	if err != nil {
		return nil, "", err
	}
	if !database.IsPostgres(db) {
		if f.defaults() {
			err = os.MkdirAll(filepath.Dir(db), 0o700)
		}
		if err == nil {
			store, err = database.OpenSQLite(ctx, db)
		}
		if err != nil {
			err = fmt.Errorf("%w: name another file by --db", err)
		}
		return store, db, err
	}
	if database.HasPassword(f.db) {
		log.Warn("others on this machine can read the password on the command line: use " + envDB + " or --db-file")
	}
	store, err = database.OpenPostgres(ctx, db)
	return store, "PostgreSQL", err
}

// database returns what --db says, or one of its other ways.
func (f *serveFlags) database(log *slog.Logger) (string, error) {
	switch {
	case f.db != "" && f.dbFile != "":
		return "", errors.New("--db and --db-file are both given: one is enough")
	case f.db != "":
		return f.db, nil
	case f.dbFile != "":
		text, err := disk.ReadFile(f.dbFile)
		db := strings.TrimSpace(string(text))
		switch {
		case err != nil:
			return "", fmt.Errorf("--db-file: %w", err)
		case db == "":
			return "", fmt.Errorf("--db-file: %s is empty: write in it what --db would say", f.dbFile)
		case database.HasPassword(db):
			web.WarnReadable("--db-file", f.dbFile, log)
		}
		return db, nil
	case os.Getenv(envDB) != "":
		return os.Getenv(envDB), nil
	}
	return database.DefaultPath()
}

// defaults reports whether nothing says where sessions are kept.
func (f *serveFlags) defaults() bool { return f.db == "" && f.dbFile == "" && os.Getenv(envDB) == "" }
