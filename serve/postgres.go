package serve

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	postgresConns = 16
	postgresLock  = 0x6d61706f // advisory, so that two servers do not make the tables at once
)

// IsPostgres reports whether a --db is a PostgreSQL server's address.
func IsPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// OpenPostgres keeps sessions in a PostgreSQL database, where several servers may
// share them. Errors do not repeat the address, which may hold a password.
func OpenPostgres(ctx context.Context, dsn string) (Store, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("sessions in PostgreSQL: the address cannot be read; it is like postgres://user@host:5432/database")
	}
	where := fmt.Sprintf("sessions in PostgreSQL at %s:%d, database %s", config.Host, config.Port, config.Database)
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	if err := migratePostgres(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", where, err), db.Close())
	}
	s, err := newSQLStore(ctx, db)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", where, err), db.Close())
	}
	s.write = func(ctx context.Context, do func(writer) error) error { return inTransaction(ctx, db, do) }
	s.closed = db.Close
	return s, nil
}

func migratePostgres(ctx context.Context, db *sql.DB) error {
	return inTransaction(ctx, db, func(w writer) error {
		tx := w.(*txWriter).tx
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, postgresLock); err != nil {
			return err
		}
		return migrate(func(query string, args ...any) error { _, err := tx.ExecContext(ctx, query, args...); return err },
			func() (v int, err error) {
				return v, tx.QueryRowContext(ctx, `SELECT version FROM mapo_meta`).Scan(&v)
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
