package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"mapo/serve/outage"
	"mapo/serve/wire"
)

// problem returns err as problem+json tells it. What is neither a [Fault] nor an outage is the server's own: it is logged, and
// its text is not told.
func (s *Server) problem(err error) error {
	var f *wire.Fault
	if err == nil {
		return nil
	}
	if errors.As(err, &f) {
		return asProblem(f)
	}
	if o := outage.Of(err); o != nil {
		if o.Doubt > 0 {
			s.ready.fails(o)
			s.Log.Error("sessions cannot be used", "error", err)
		}
		return huma.ErrorWithHeaders(huma.NewError(o.Status, o.Reason), http.Header{"Retry-After": {o.Retry}})
	}
	s.Log.Error("request failed", "error", err)
	return huma.NewError(http.StatusInternalServerError, "a fault of the server's; its log has more")
}

// asProblem returns f as problem+json tells it.
func asProblem(f *wire.Fault) error {
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

// jsonFormat is huma's. Of what is wrong with a request it tells a little: huma repeats a
// whole object for each of its unknown keys.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if e, ok := v.(*huma.ErrorModel); ok {
			v = brief(e)
		}
		return huma.DefaultJSONFormat.Marshal(w, v)
	},
	Unmarshal: huma.DefaultJSONFormat.Unmarshal,
}

// mostFaults is how many faults of a request are told.
const mostFaults = 10

// brief returns a copy of e with its first faults, without the objects and lists they
// were found in.
func brief(e *huma.ErrorModel) *huma.ErrorModel {
	short := *e
	short.Detail, short.Errors = wire.Shortened(e.Detail), nil
	for _, d := range e.Errors[:min(len(e.Errors), mostFaults)] {
		d := huma.ErrorDetail{Message: wire.Shortened(d.Message), Location: wire.Shortened(d.Location), Value: d.Value}
		switch v := d.Value.(type) {
		case string:
			d.Value = wire.Shortened(v)
		case bool, float64, nil:
		default:
			d.Value = nil
		}
		short.Errors = append(short.Errors, &d)
	}
	if more := len(e.Errors) - len(short.Errors); more > 0 {
		short.Errors = append(short.Errors, &huma.ErrorDetail{Message: fmt.Sprintf("and %d more", more)})
	}
	return &short
}
