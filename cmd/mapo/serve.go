package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mapo/flow"
	"mapo/internal/openfile"
	"mapo/serve"
)

// serveFlags are the flags of mapo serve, as given.
type serveFlags struct {
	addr, db, dbFile, askFile, adminFile string
	hosts                                []string
	insecure, verbose, mcp               bool
	rate                                 float64
	maxBody                              byteSize
	sessions                             serve.SessionOptions
}

// Environment variables of mapo serve.
const (
	envDB    = "MAPO_DB"
	envAsk   = "MAPO_ASK_TOKEN"
	envAdmin = "MAPO_ADMIN_TOKEN"
)

const (
	defaultDB   = "mapo-sessions.db"
	remoteRate  = 50 // requests a second and client, where others than this machine may come
	serveManual = `An HTTP API and a web page over policy files: play a game, label in sessions that are kept, see
what a policy's contract says. A policy's id is its file's base name. On SIGHUP the files are read
again; one that is broken is refused, and the old policy stays.

It listens on this machine alone unless --addr says otherwise, and elsewhere only with tokens. Tokens
are read from MAPO_ASK_TOKEN and MAPO_ADMIN_TOKEN (several with commas between) or from files, one a
line: with the first a client may play and label, with the second also list and delete sessions and read
the metrics.

With --mcp an agent that starts the command has the same as three verbs over standard input and
output; sessions are then kept only where --db or MAPO_DB says so.

Sessions are kept in a SQLite file, or in PostgreSQL where one machine is outgrown. An address with a
password belongs in MAPO_DB or --db-file: others on the machine can read a command line.`
)

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve POLICY…",
		Short: "An HTTP API and a web page over policy files",
		Long:  serveManual,
		Args:  args(cobra.MinimumNArgs(1)),
		RunE:  func(c *cobra.Command, list []string) error { return f.run(c, list) },
	}
	flags := c.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "where to listen")
	flags.StringVar(&f.db, "db", "", "where sessions are kept: a file, or postgres://… (default "+defaultDB+")")
	flags.StringVar(&f.dbFile, "db-file", "", "a file that holds what --db says")
	flags.StringVar(&f.askFile, "ask-token-file", "", "tokens for playing and labelling, one a line")
	flags.StringVar(&f.adminFile, "admin-token-file", "", "tokens for everything, one a line")
	flags.StringSliceVar(&f.hosts, "host", nil, "another name the server is called by")
	flags.BoolVar(&f.insecure, "insecure", false, "listen beyond this machine without tokens: everybody who reaches it may do everything")
	flags.BoolVar(&f.mcp, "mcp", false, "speak MCP over standard input and output instead, for an agent: next, answer, recommend")
	flags.BoolVar(&f.verbose, "verbose", false, "log every request")
	flags.Float64Var(&f.rate, "rate", 0, fmt.Sprintf("requests a second and client (0: no limit; default: none on this machine alone, else %d)", remoteRate))
	flags.IntVar(&f.sessions.Max, "max-sessions", 100_000, "sessions without an answer kept at once")
	flags.IntVar(&f.sessions.MaxAnswered, "max-answered", 1_000_000, "sessions with an answer kept at once; the log mentions it from 80 % on")
	flags.DurationVar(&f.sessions.TTL, "session-ttl", 0, "how long a session is kept after its last turn (default: for good once it has an answer, a day before)")
	flags.Var(&f.maxBody, "max-body", "the largest body of a request, such as 64KiB (default: what a whole game of the policies served can need)")
	return c
}

// run is mapo serve.
func (f *serveFlags) run(c *cobra.Command, list []string) error {
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
	for _, host := range f.hosts {
		if err := serve.CheckHost(host); err != nil {
			return fmt.Errorf("--host: %w", err)
		}
	}
	if f.mcp {
		return f.agent(c, list)
	}
	ask, err := tokens(envAsk, "--ask-token-file", f.askFile)
	if err != nil {
		return err
	}
	admin, err := tokens(envAdmin, "--admin-token-file", f.adminFile)
	if err != nil {
		return err
	}
	local, err := isLocal(f.addr)
	if err != nil {
		return err
	}
	if !local && len(ask)+len(admin) == 0 && !f.insecure {
		return fmt.Errorf("--addr %s can be reached from other machines: set %s or %s (see mapo serve --help), or say --insecure", f.addr, envAsk, envAdmin)
	}
	if !local && !c.Flags().Changed("rate") {
		f.rate = remoteRate
	}
	set, err := serve.NewSet(list)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w: choose another address, such as 127.0.0.1:0 for any free port", err)
	}
	log := f.logger(c.ErrOrStderr())
	store, where, err := f.store(c.Context(), log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	o := serve.Options{AskTokens: ask, AdminTokens: admin, Hosts: f.hosts, Rate: f.rate, MaxBody: int64(f.maxBody), Version: flow.Version(), Log: log}
	log.Info("serving", "policies", len(list), "sessions", where, "tokens", len(ask)+len(admin))
	return errors.Join(f.serve(c, ln, set, store, o), store.Close())
}

// agent is mapo serve --mcp.
func (f *serveFlags) agent(c *cobra.Command, list []string) error {
	set, err := serve.NewSet(list)
	if err != nil {
		return err
	}
	log, ctx := f.logger(c.ErrOrStderr()), c.Context()
	open := func() (store serve.Store, err error) {
		if f.db == "" && f.dbFile == "" && os.Getenv(envDB) == "" {
			return serve.OpenTemporary(ctx)
		}
		store, _, err = f.store(ctx, log)
		return store, err
	}
	store, err := open()
	if err != nil {
		return err
	}
	f.sessions.Log = log
	sessions, err := serve.NewSessions(ctx, set, store, f.sessions)
	if err == nil {
		stop := tend(ctx, set, sessions, log)
		err = serve.ServeMCP(ctx, sessions, flow.Version(), io.NopCloser(c.InOrStdin()), unclosed{c.OutOrStdout()})
		stop()
	}
	return errors.Join(err, store.Close())
}

// unclosed is a writer that is the process's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// serve answers requests on ln until the command is interrupted.
func (f *serveFlags) serve(c *cobra.Command, ln net.Listener, set *serve.Set, store serve.Store, o serve.Options) error {
	ctx := c.Context()
	f.sessions.Log = o.Log
	sessions, err := serve.NewSessions(ctx, set, store, f.sessions)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer tend(ctx, set, sessions, o.Log)()
	if _, err := fmt.Fprintf(c.OutOrStdout(), "http://%s/\n", ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	return serve.NewServer(set, sessions, o).Serve(ctx, ln)
}

// tend reads the policy files again on SIGHUP and forgets expired sessions, until stop.
func tend(ctx context.Context, set *serve.Set, sessions *serve.Sessions, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	var wg sync.WaitGroup
	wg.Go(func() { sessions.Sweep(ctx) })
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
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

// store opens where sessions are kept; where says it without a password.
func (f *serveFlags) store(ctx context.Context, log *slog.Logger) (store serve.Store, where string, err error) {
	db, err := f.database()
	if err != nil {
		return nil, "", err
	}
	if !serve.IsPostgres(db) {
		store, err = serve.OpenSQLite(ctx, db)
		if err != nil {
			err = fmt.Errorf("%w: name another file by --db", err)
		}
		return store, db, err
	}
	if u, err := url.Parse(f.db); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			log.Warn("others on this machine can read the password on the command line: use " + envDB + " or --db-file")
		}
	}
	store, err = serve.OpenPostgres(ctx, db)
	return store, "PostgreSQL", err
}

// database is what --db says, or one of its other ways.
func (f *serveFlags) database() (string, error) {
	switch {
	case f.db != "" && f.dbFile != "":
		return "", errors.New("--db and --db-file are both given: one is enough")
	case f.db != "":
		return f.db, nil
	case f.dbFile != "":
		text, err := openfile.ReadFile(f.dbFile)
		db := strings.TrimSpace(string(text))
		switch {
		case err != nil:
			return "", fmt.Errorf("--db-file: %w", err)
		case db == "":
			return "", fmt.Errorf("--db-file: %s is empty: write in it what --db would say", f.dbFile)
		}
		return db, nil
	case os.Getenv(envDB) != "":
		return os.Getenv(envDB), nil
	}
	return defaultDB, nil
}

// tokens are those of an environment variable and of the file that a flag names.
func tokens(env, flag, file string) ([]string, error) {
	var all []string
	for token := range strings.SplitSeq(os.Getenv(env), ",") {
		if token = strings.TrimSpace(token); token != "" {
			all = append(all, token)
		}
	}
	if file != "" {
		text, err := openfile.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		before := len(all)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, line)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s: %s has no token: one a line", flag, file)
		}
	}
	for _, token := range all {
		if err := serve.CheckToken(token); err != nil {
			return nil, fmt.Errorf("%s or %s: %w", env, flag, err)
		}
	}
	return all, nil
}

// isLocal reports whether an address can be reached from this machine alone.
func isLocal(addr string) (bool, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("--addr is %q, want an address and a port such as 127.0.0.1:8080", addr)
	}
	if host == "localhost" {
		return true, nil
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback(), nil
}
