package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTime   = 8 * time.Second // no request waits for longer
	postgresConns = 32              // and so many answers may share one sync of the disk
	postgresLock  = 0x6d61706f      // advisory, so that two servers do not make the tables at once
	namesLock     = postgresLock + 1
	buildLock     = 0x6d61706f // with a hash of the policy: advisory locks by two numbers are apart from those by one
)

// IsPostgres reports whether a --db is a PostgreSQL server's address.
func IsPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// OpenPostgres keeps sessions in a PostgreSQL database, where several servers may
// share them, also behind a pooler such as PgBouncer in transaction mode. Errors do not
// repeat the address, which may hold a password.
func OpenPostgres(ctx context.Context, dsn string) (Store, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("sessions in PostgreSQL: the address cannot be read; it is like postgres://user@host:5432/database")
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectTime {
		config.ConnectTimeout = connectTime
	}
	where := fmt.Sprintf("sessions in PostgreSQL at %s:%d, database %s", config.Host, config.Port, config.Database)
	if err := unnameBehindPooler(ctx, config); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	if err := makePostgres(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", where, err), db.Close())
	}
	return &postgresStore{&sqlStore{
		db: db, load: unprepared{db, loadSession}, turns: unprepared{db, loadTurns}, closed: db.Close, dialect: postgresDialect,
		write: func(ctx context.Context, do func(writer) error) error { return inTransaction(ctx, db, do) },
	}}, nil
}

// unnameBehindPooler stops pgx from using named prepared statements if a pooler stands between: one
// that shares connections by transaction would run a statement at a connection that does not have
// it. A pooler shows by the number of the server's process, which it makes up for its clients. A
// mode that the address names stays.
func unnameBehindPooler(ctx context.Context, config *pgx.ConnConfig) error {
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	var pid uint32
	err = conn.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	if pid != conn.PgConn().PID() {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	return errors.Join(err, conn.Close(ctx))
}

// unprepared is a statement that pgx prepares for each connection, where it may.
type unprepared struct {
	db    *sql.DB
	query string
}

func (u unprepared) QueryContext(ctx context.Context, args ...any) (*sql.Rows, error) {
	return u.db.QueryContext(ctx, u.query, args...)
}

func (u unprepared) QueryRowContext(ctx context.Context, args ...any) *sql.Row {
	return u.db.QueryRowContext(ctx, u.query, args...)
}

// byBytes orders texts as Go does, whatever the database's language is.
const byBytes = ` COLLATE "C" FOR UPDATE`

var postgresDialect = dialect{
	addCounts: `INSERT INTO mapo_counts (policy, object, question, yes, no)
		SELECT $1::text, (c->>0)::bigint, (c->>1)::bigint, (c->>2)::bigint, (c->>3)::bigint
		FROM json_array_elements($2::text::json) WITH ORDINALITY AS cells (c, n) ORDER BY n
		ON CONFLICT (policy, object, question) DO UPDATE SET yes = mapo_counts.yes + excluded.yes, no = mapo_counts.no + excluded.no`,
	addNames: `INSERT INTO mapo_names (policy, kind, idx, name, accepted, shares)
		SELECT $1::text, $2::text, $3::bigint + n - 1, name, $5::bigint, $6::text
		FROM json_array_elements_text($4::text::json) WITH ORDINALITY AS names (name, n)`,
	lockGames: `SELECT id FROM mapo_games WHERE id IN (SELECT json_array_elements_text($1::text::json)) ORDER BY id` + byBytes,
	exclude:   `UPDATE mapo_games SET excluded = $2 WHERE id IN (SELECT json_array_elements_text($1::text::json))`,
	lockNames: fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, namesLock),
	inOrder:   byBytes,
}

// postgresStore is a sqlStore that writes an answer in one round trip, not five.
type postgresStore struct{ *sqlStore }

// advance is sqlStore's Advance as one statement, which SQLite cannot say. A
// concurrent writer of the session waits at its row, as there, and then finds the
// turn closed. Whether its truth was told is read from that row, after the wait: no
// other table shows there what has changed since the statement began.
const advance = `WITH
	touched AS (UPDATE mapo_sessions SET touched = $5 WHERE id = $1 RETURNING id, told),
	closed AS (UPDATE mapo_turns SET outcome = $2, answer = $3, annotator = $4, answered = $5, class = $17::text
		WHERE session = (SELECT id FROM touched WHERE told = 0) AND step = $6 AND query = $7 AND outcome = '' RETURNING step),
	undone AS (UPDATE mapo_turns SET undone = $6 WHERE session = $1 AND step = $8 AND EXISTS (SELECT FROM closed)),
	opened AS (INSERT INTO mapo_turns (session, step, query, text, probability, hash, mask, asked, outcome, answer, annotator, answered, undone, guess)
		SELECT $1, $9::bigint, $10::bigint, $11::text, $12::double precision, $13::text, $14::text, $15::bigint, '', 0, '', 0, 0, $16::bigint FROM closed)
	SELECT (SELECT COUNT(*) FROM touched), (SELECT COUNT(*) FROM closed)`

// Advance closes the open turn and opens the next.
func (s *postgresStore) Advance(ctx context.Context, a Advance) (bool, error) {
	var touched, closed int
	err := s.db.QueryRowContext(ctx, advance,
		a.Session, a.Closed.Outcome, a.Closed.Answer.Value(), a.Closed.Annotator, a.Closed.Answered.UnixMilli(), a.Closed.Step, a.Closed.Query, a.Undone,
		a.Next.Step, a.Next.Query, a.Next.Text, a.Next.Probability, a.Next.Hash, asJSON(a.Next.Mask), a.Next.Asked.UnixMilli(), a.Next.Guess, a.Closed.Class).Scan(&touched, &closed)
	if err == nil && touched == 0 {
		err = ErrNoSession
	}
	return err == nil && closed > 0, err
}

// makePostgres makes the tables, one server at a time.
func makePostgres(ctx context.Context, db *sql.DB) error {
	return inTransaction(ctx, db, func(w writer) error {
		tx := w.(*txWriter).tx
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, postgresLock); err != nil {
			return err
		}
		return makeTables(func(query string, args ...any) error { _, err := tx.ExecContext(ctx, query, args...); return err },
			func() (v int, err error) {
				err = tx.QueryRowContext(ctx, `SELECT version FROM mapo_meta`).Scan(&v)
				return v, err
			})
	})
}

// inTransaction commits what do does, or nothing of it.
func inTransaction(ctx context.Context, db *sql.DB, do func(writer) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(&txWriter{ctx, tx}); err != nil {
		_ = tx.Rollback() // the connection may be gone, and the transaction with it
		return err
	}
	return tx.Commit()
}

type txWriter struct {
	ctx context.Context
	tx  *sql.Tx
}

func (w *txWriter) exec(query string, args ...any) (int64, error) {
	r, err := w.tx.ExecContext(w.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (w *txWriter) query(query string, args []any, each func(row) error) error {
	return reading{w.ctx, w.tx}.query(query, args, each)
}

// Exclusive holds an advisory lock of the policy for as long as its transaction.
func (s *postgresStore) Exclusive(ctx context.Context, policy string, do func(write func(VersionWrite) error) error) (ran bool, err error) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(policy)) // it never fails
	err = inTransaction(ctx, s.db, func(w writer) error {
		if _, err := one(w, `SELECT pg_try_advisory_xact_lock($1::int, $2::int)`, []any{int32(buildLock), int32(hash.Sum32())}, &ran); err != nil || !ran {
			return err
		}
		return do(func(v VersionWrite) error { return s.writeVersion(w, policy, v, cellsText(v.Cells)) })
	})
	return ran, err
}
