package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"mapo/serve/outage"

	_ "modernc.org/sqlite"
)

// the driver, in pure Go

// readers is how many connections read one SQLite file at once.
const readers = 4

// OpenSQLite keeps sessions in one file (and its two companions while it is open),
// made where it is missing. Writes go through one connection, and those that wait
// for each other share one commit: each is durable (WAL, synchronous=FULL) when it
// returns.
func OpenSQLite(ctx context.Context, path string) (Store, error) {
	s, err := openSQLite(ctx, path)
	// SQLite does not wait where another process is just closing its last connection, or repairs what a kill left.
	for end := time.Now().Add(openPatience); err != nil && outage.Of(err) == outage.Busy && ctx.Err() == nil && time.Now().Before(end); {
		time.Sleep(openPause)
		s, err = openSQLite(ctx, path)
	}
	if err != nil {
		return nil, fmt.Errorf("sessions in %s: %w", path, err)
	}
	return s, nil
}

const (
	openPatience = 10 * time.Second // for a database that others are opening or closing
	openPause    = 10 * time.Millisecond
)

func openSQLite(ctx context.Context, path string) (*sqlStore, error) {
	path, err := filepath.Abs(path)
	if err != nil { // where some names, such as :memory:, are not names of files
		return nil, err
	}
	// Answers are private, so the file is made first, for its owner.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := ownSQLite(ctx, path); err != nil {
		return nil, err
	}
	// A day's key, and what is stripped from games, is to be gone from the file too: secure_delete(FAST) overwrites deleted
	// rows where that writes no page more.
	db, err := sqlite(path, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(FAST)")
	if err != nil {
		return nil, err
	}
	return sqliteStore(ctx, db)
}

// sqliteStore keeps sessions in db, which it closes in the end.
func sqliteStore(ctx context.Context, db *sql.DB) (_ *sqlStore, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	db.SetMaxOpenConns(readers + 1)
	db.SetMaxIdleConns(readers + 1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	b := newBatches(conn)
	exec := func(query string, args ...any) error { _, err := conn.ExecContext(ctx, query, args...); return err }
	version := func() (v int, err error) {
		err = conn.QueryRowContext(ctx, `SELECT version FROM mapo_meta`).Scan(&v)
		return v, err
	}
	if err = exec(`BEGIN IMMEDIATE`); err == nil {
		err = makeTables(exec, version)
	}
	if err == nil {
		err = exec(`COMMIT`)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	load, err1 := db.PrepareContext(ctx, loadSession)
	turns, err2 := db.PrepareContext(ctx, loadTurns)
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go b.run()
	return &sqlStore{db: db, load: load, turns: turns, write: b.write, dialect: sqliteDialect, closed: func() error { return errors.Join(b.close(), db.Close()) }}, nil
}

// sqliteDialect locks nothing: there is one writer at a time.
var sqliteDialect = dialect{
	addCounts: `INSERT INTO mapo_counts (policy, object, question, yes, no)
		SELECT $1, value->>0, value->>1, value->>2, value->>3 FROM json_each($2) WHERE true
		ON CONFLICT (policy, object, question) DO UPDATE SET yes = yes + excluded.yes, no = no + excluded.no`,
	addNames: `INSERT INTO mapo_names (policy, kind, idx, name, accepted, shares) SELECT $1, $2, $3 + key, value, $5, $6 FROM json_each($4)`,
	exclude:  `UPDATE mapo_games SET excluded = $2 WHERE id IN (SELECT value FROM json_each($1))`,
}

// sqlite returns the database in a file, each connection with some pragmas.
func sqlite(path string, pragmas ...string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+url.Values{"_pragma": pragmas}.Encode())
}

// ownSQLite refuses another program's database, which it only reads: ours has mapo_meta, a new one nothing.
func ownSQLite(ctx context.Context, path string) (err error) {
	db, err := sqlite(path, "busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var all, ours int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(CASE name WHEN 'mapo_meta' THEN 1 END) FROM sqlite_schema`).Scan(&all, &ours); err != nil {
		return err
	}
	if all > 0 && ours == 0 {
		return errors.New("it is another program's database")
	}
	return nil
}

// OpenTemporary keeps sessions for as long as the store is open, in memory: nothing is
// left of them, however the program ends.
func OpenTemporary(ctx context.Context) (Store, error) {
	// A name that begins with / is one database for all connections of this process.
	db, err := sql.Open("sqlite", "file:/"+NewID()+"?vfs=memdb&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	return sqliteStore(ctx, db)
}

// batches is the one writer of a SQLite file. A caller that asks while a commit is under
// way is in the next one, so many answers share the wait for the disk.
type batches struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	jobs  chan job
	stop  chan struct{}
	done  chan struct{}
}

type job struct {
	ctx context.Context
	do  func(writer) error
	err chan error // has room for one
}

const atOnce = 256 // jobs in one transaction

func newBatches(conn *sql.Conn) *batches {
	return &batches{conn: conn, stmts: map[string]*sql.Stmt{}, jobs: make(chan job, atOnce), stop: make(chan struct{}), done: make(chan struct{})}
}

// write does a job in the next transaction and returns when it is durable. If ctx ends before, the job may still be done.
func (b *batches) write(ctx context.Context, do func(writer) error) error {
	j := job{ctx, do, make(chan error, 1)}
	select {
	case b.jobs <- j:
	case <-b.stop:
		return outage.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.err:
		return err
	case <-ctx.Done(): // the disk may be stuck
		return ctx.Err()
	case <-b.done:
		select {
		case err := <-j.err:
			return err
		default:
			return outage.ErrClosed
		}
	}
}

// run does the jobs until close.
func (b *batches) run() {
	defer close(b.done)
	for {
		select {
		case first := <-b.jobs:
			b.batch(b.more(first))
		case <-b.stop:
			for { // what was accepted is done
				select {
				case j := <-b.jobs:
					b.batch(b.more(j))
				default:
					return
				}
			}
		}
	}
}

// more returns first and the jobs that wait behind it, at most atOnce.
func (b *batches) more(first job) []job {
	list := []job{first}
	for len(list) < atOnce {
		select {
		case j := <-b.jobs:
			list = append(list, j)
		default:
			return list
		}
	}
	return list
}

// batch does jobs in one transaction. Where one of them fails all are taken back,
// and each is done by itself, so that the others do not suffer. Where none can begin, each would wait for as long.
func (b *batches) batch(list []job) {
	errs, begun, err := b.transaction(list)
	if err != nil && begun && len(list) > 1 {
		for _, j := range list {
			b.batch([]job{j})
		}
		return
	}
	for i, j := range list {
		if err != nil && errs[i] == nil {
			errs[i] = err
		}
		j.err <- errs[i]
	}
}

// transaction returns the errors of each job that was left out or failed, whether it has begun, and the
// first error that takes all back.
func (b *batches) transaction(list []job) (errs []error, begun bool, err error) {
	errs = make([]error, len(list))
	if _, err := b.conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return errs, false, err
	}
	for i, j := range list {
		if errs[i] = j.ctx.Err(); errs[i] != nil {
			continue // who asked has left
		}
		if errs[i] = j.do(b); errs[i] != nil && !errors.Is(errs[i], ErrNoSession) { // which has changed nothing
			_, back := b.conn.ExecContext(context.Background(), "ROLLBACK")
			return errs, true, errors.Join(errs[i], back)
		}
	}
	if _, err := b.conn.ExecContext(context.Background(), "COMMIT"); err != nil {
		_, _ = b.conn.ExecContext(context.Background(), "ROLLBACK") // it may have ended by itself
		return errs, true, err
	}
	return errs, true, nil
}

// exec executes a statement of the transaction, prepared when it first comes.
func (b *batches) exec(query string, args ...any) (int64, error) {
	stmt, err := b.prepared(query)
	if err != nil {
		return 0, err
	}
	r, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// query reads rows of the transaction.
func (b *batches) query(query string, args []any, each func(row) error) error {
	stmt, err := b.prepared(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	return eachRow(rows, each)
}

func (b *batches) prepared(query string) (*sql.Stmt, error) {
	if stmt := b.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := b.conn.PrepareContext(context.Background(), query)
	if err == nil {
		b.stmts[query] = stmt
	}
	return stmt, err
}

// close ends the writer after the jobs it has accepted.
func (b *batches) close() error {
	close(b.stop)
	<-b.done
	for _, stmt := range b.stmts { // while one is open SQLite keeps its companions
		_ = stmt.Close()
	}
	return b.conn.Close()
}
