package job

import (
	"cmp"
	"slices"
	"time"
)

// Span is a stretch of time in which a process worked on a job.
type Span struct {
	Begin   time.Time
	Seconds float64
}

// Took is the time a job took, a span for each process that worked on it and
// whose work was kept. It is never part of a result.
type Took []Span

// Seconds returns those of all spans, also of such as ran side by side.
func (t Took) Seconds() (sum float64) {
	for _, s := range t {
		sum += s.Seconds
	}
	return sum
}

// Wall returns for how many seconds at least one span ran: of a run's jobs, the
// time a person waited for it, interruptions aside.
func (t Took) Wall() (sum float64) {
	t = slices.Clone(t)
	slices.SortFunc(t, func(a, b Span) int {
		return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(a.Seconds, b.Seconds))
	})
	var first time.Time
	counted := 0.0 // seconds after first up to which all is in sum
	for i, s := range t {
		if i == 0 {
			first = s.Begin
		}
		from := s.Begin.Sub(first).Seconds()
		sum += max(0, from+s.Seconds-max(from, counted))
		counted = max(counted, from+s.Seconds)
	}
	return sum
}
