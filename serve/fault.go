package serve

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Fault is a request that cannot be answered, with the reason for who sent it.
type Fault struct {
	Status int // as in HTTP
	Reason string
}

func (f *Fault) Error() string { return f.Reason }

func fault(status int, format string, args ...any) error {
	return &Fault{status, fmt.Sprintf(format, args...)}
}

// invalid is err as a fault of the request's, unless it is the policy's.
func invalid(err error) error {
	if outageOf(err) != nil {
		return err
	}
	return &Fault{http.StatusUnprocessableEntity, err.Error()}
}

// problem returns err as problem+json tells it. What is neither a [Fault] nor an outage is the server's own: it is logged, and
// its text is not told.
func (s *Server) problem(err error) error {
	var f *Fault
	if err == nil {
		return nil
	}
	if errors.As(err, &f) {
		return huma.NewError(f.Status, f.Reason)
	}
	if o := outageOf(err); o != nil {
		if o.doubt > 0 {
			s.ready.fails(o)
			s.Log.Error("sessions cannot be used", "error", err)
		}
		return huma.ErrorWithHeaders(huma.NewError(o.status, o.reason), http.Header{"Retry-After": {o.retry}})
	}
	s.Log.Error("request failed", "error", err)
	return huma.NewError(http.StatusInternalServerError, "a fault of the server's; its log has more")
}
