package serve

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

// outage is why requests fail although there is nothing wrong with them, as clients are told. The same
// request may succeed later.
type outage struct {
	status int    // 503, or 507 for a full disk
	retry  string // seconds after which the request is worth sending again
	reason string
	doubt  time.Duration // for how long after one the server is not ready, whatever a probe says
}

var (
	busy       = &outage{http.StatusServiceUnavailable, "1", "the server is busy or stopping; send the request again", 0}
	silent     = &outage{http.StatusServiceUnavailable, "1", "the database of sessions does not answer in time; send the request again", 10 * time.Second}
	noDatabase = &outage{http.StatusServiceUnavailable, "2", "the database of sessions cannot be used at the moment; send the request again", 10 * time.Second}
	diskFull   = &outage{http.StatusInsufficientStorage, "10", "the disk of the sessions is full; send the request again when there is space", time.Minute}
)

// errClosed is what a store says once it is being closed.
var errClosed = errors.New("the server is stopping")

// noProgram is what a client is told; what befell the program is in the log.
const noProgram = "the program that chooses this policy's questions does not answer at the moment; send the request again"

// outageOf returns the outage that an error shows; nil where it shows a fault of the program's.
func outageOf(err error) *outage {
	var (
		program *external.Unavailable
		told    *pgconn.PgError
		refused *pgconn.ConnectError
		file    *lite.Error
		network net.Error
	)
	switch {
	case errors.As(err, &program):
		return &outage{http.StatusServiceUnavailable, strconv.Itoa(int(math.Ceil(program.Retry.Seconds()))), noProgram, 0}
	case errors.Is(err, context.DeadlineExceeded):
		return silent
	case errors.Is(err, context.Canceled), errors.Is(err, errClosed):
		return busy
	case errors.As(err, &refused):
		return noDatabase
	case errors.As(err, &told):
		return postgresOutage(told.Code)
	case errors.As(err, &file):
		return sqliteOutage(file.Code())
	case errors.As(err, &network), pgconn.SafeToRetry(err),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		return noDatabase
	}
	return nil
}

// postgresOutage does as outageOf for a SQLSTATE (PostgreSQL's manual, appendix A).
func postgresOutage(code string) *outage {
	if o := passing[code]; o != nil || len(code) != 5 {
		return o
	}
	switch {
	case code[:2] == "08", // the connection failed; PgBouncer says so, too
		code[:2] == "53",  // out of memory, too many connections
		code[:2] == "58",  // an error of the operating system
		code[:3] == "57P": // an administrator or a crash has ended the connection, or the server is starting
		return noDatabase
	}
	return nil
}

// passing has the SQLSTATEs that differ from their class.
var passing = map[string]*outage{
	"53100": diskFull,
	"25006": noDatabase, // the server is a standby
	"40001": busy,       // serialization_failure
	"40P01": busy,       // deadlock_detected
	"55P03": busy,       // lock_not_available
	"57014": busy,       // query_canceled: a time limit of the server's
}

// sqliteOutage does as outageOf for a result code of SQLite's (https://sqlite.org/rescode.html).
func sqliteOutage(code int) *outage {
	if code == codes.SQLITE_IOERR_SHMSIZE { // no space for the file of shared memory
		return diskFull
	}
	switch code & 0xff {
	case codes.SQLITE_FULL:
		return diskFull
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		return busy
	case codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY, codes.SQLITE_NOMEM:
		return noDatabase
	}
	return nil
}
