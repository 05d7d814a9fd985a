package wire

import (
	"fmt"
	"net/http"

	"mapo/serve/outage"
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

func Refuse(status int, format string, args ...any) error {
	return &Fault{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// Invalid returns err as a fault of the request, unless it shows an outage of the policy.
func Invalid(err error) error {
	if outage.Of(err) != nil {
		return err
	}
	return &Fault{Status: http.StatusUnprocessableEntity, Reason: err.Error()}
}
