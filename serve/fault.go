package serve

import (
	"context"
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

func invalid(err error) error { return &Fault{http.StatusUnprocessableEntity, err.Error()} }

// problem is err as problem+json tells it. What is no [Fault] is the server's own:
// it is logged, and its text is not told.
func (s *Server) problem(err error) error {
	var f *Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return huma.NewError(f.Status, f.Reason)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed):
		return huma.NewError(http.StatusServiceUnavailable, "the server is busy or stopping; send the request again")
	}
	s.Log.Error("request failed", "error", err)
	return huma.NewError(http.StatusInternalServerError, "a fault of the server's; its log has more")
}
