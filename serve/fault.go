package serve

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Fault is a request that cannot be answered, with the reason for who sent it.
type Fault struct {
	Status  int // as in HTTP
	Reason  string
	Nearest []string // names that may have been meant, where one is not known; nil: it is another fault
	At      string   // the value in the body that is wrong, such as history[1].answer; "": it is not one value
	Value   any      // what stands there
}

func (f *Fault) Error() string { return f.Reason }

func fault(status int, format string, args ...any) error {
	return &Fault{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// invalid returns err as a fault of the request, unless it shows an outage of the policy.
func invalid(err error) error {
	if outageOf(err) != nil {
		return err
	}
	return &Fault{Status: http.StatusUnprocessableEntity, Reason: err.Error()}
}

// problem returns err as problem+json tells it. What is neither a [Fault] nor an outage is the server's own: it is logged, and
// its text is not told.
func (s *Server) problem(err error) error {
	var f *Fault
	if err == nil {
		return nil
	}
	if errors.As(err, &f) {
		return f.problem()
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

// problem returns f as problem+json tells it.
func (f *Fault) problem() error {
	if f.At != "" {
		return huma.NewError(f.Status, "validation failed", &huma.ErrorDetail{Message: f.Reason, Location: "body." + f.At, Value: f.Value})
	}
	err := huma.NewError(f.Status, f.Reason)
	if model, ok := err.(*huma.ErrorModel); ok && f.Nearest != nil {
		return &unknownName{model, f.Nearest}
	}
	return err
}

// unknownName is a problem that also has the names that may have been meant.
type unknownName struct {
	*huma.ErrorModel
	Nearest []string `json:"nearest" nullable:"false"`
}
