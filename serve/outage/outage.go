package outage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	lite "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"mapo/policy/external"
)

// Outage is why requests fail although there is nothing wrong with them, as clients are told. The same
// request may succeed later.
type Outage struct {
	Status int    // 503, or 507 for a full disk
	Retry  string // seconds after which the request is worth sending again
	Reason string
	Doubt  time.Duration // for how long after one the server is not ready, whatever a probe says
}

var (
	Busy       = &Outage{http.StatusServiceUnavailable, "1", "the server is busy or stopping; send the request again", 0}
	Silent     = &Outage{http.StatusServiceUnavailable, "1", "the database of sessions does not answer in time; send the request again", 10 * time.Second}
	NoDatabase = &Outage{http.StatusServiceUnavailable, "2", "the database of sessions cannot be used at the moment; send the request again", 10 * time.Second}
	diskFull   = &Outage{http.StatusInsufficientStorage, "10", "the disk of the sessions is full; send the request again when there is space", time.Minute}
)

// ErrClosed is what a store says once it is being closed.
var ErrClosed = errors.New("the server is stopping")

// NoProgram is what a client is told; what befell the program is in the log.
const NoProgram = "the program that chooses this policy's questions does not answer at the moment; send the request again"

// Of returns the outage that an error shows; nil where it shows a fault of the program's.
func Of(err error) *Outage {
	var (
		program *external.Unavailable
		told    *pgconn.PgError
		refused *pgconn.ConnectError
		file    *lite.Error
		network net.Error
	)
	switch {
	case errors.As(err, &program):
		return &Outage{http.StatusServiceUnavailable, strconv.Itoa(int(math.Ceil(program.Retry.Seconds()))), NoProgram, 0}
	case errors.Is(err, context.DeadlineExceeded):
		return Silent
	case errors.Is(err, context.Canceled), errors.Is(err, ErrClosed):
		return Busy
	case errors.As(err, &refused):
		return NoDatabase
	case errors.As(err, &told):
		return postgresOutage(told.Code)
	case errors.As(err, &file):
		return sqliteOutage(file.Code())
	case errors.As(err, &network), pgconn.SafeToRetry(err),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		return NoDatabase
	}
	return nil
}

// postgresOutage does as outageOf for a SQLSTATE (PostgreSQL's manual, appendix A).
func postgresOutage(code string) *Outage {
	if o := passing[code]; o != nil || len(code) != 5 {
		return o
	}
	switch {
	case code[:2] == "08", // the connection failed; PgBouncer says so, too
		code[:2] == "53",  // out of memory, too many connections
		code[:2] == "58",  // an error of the operating system
		code[:3] == "57P": // an administrator or a crash has ended the connection, or the server is starting
		return NoDatabase
	}
	return nil
}

// passing has the SQLSTATEs that differ from their class.
var passing = map[string]*Outage{
	"53100": diskFull,
	"25006": NoDatabase, // the server is a standby
	"40001": Busy,       // serialization_failure
	"40P01": Busy,       // deadlock_detected
	"55P03": Busy,       // lock_not_available
	"57014": Busy,       // query_canceled: a time limit of the server's
}

// sqliteOutage does as outageOf for a result code of SQLite's (https://sqlite.org/rescode.html).
func sqliteOutage(code int) *Outage {
	if code == codes.SQLITE_IOERR_SHMSIZE { // no space for the file of shared memory
		return diskFull
	}
	switch code & 0xff {
	case codes.SQLITE_FULL:
		return diskFull
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return Busy
	case codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_NOMEM:
		return NoDatabase
	}
	return nil
}
