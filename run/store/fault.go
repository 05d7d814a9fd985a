package store

// Fault is the error of a store that cannot be reached, read or written just now: the same call may succeed later.
// What is not there, not sound or no name is none.
type Fault struct{ err error }

// NewFault returns a Fault of this error.
func NewFault(err error) *Fault { return &Fault{err} }

func (f *Fault) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.err }
