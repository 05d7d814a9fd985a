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

func invalid(err error) error { return &Fault{http.StatusUnprocessableEntity, err.Error()} }

// problem is err as problem+json tells it. What is no [Fault] is the server's own
// and is not told.
func problem(err error) error {
	var f *Fault
	if errors.As(err, &f) {
		return huma.NewError(f.Status, f.Reason)
	}
	return err
}
