package sessions

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mapo/serve/database"
	"mapo/serve/wire"
)

const (
	openTime   = 24 * time.Hour // for how long a session without an answer is kept after its last turn
	sweepEvery = time.Minute    // how often expired sessions are looked for
	countTime  = time.Minute    // for the store to count sessions, or to delete a batch
	nearLimit  = 80             // percent of MaxAnswered from which the log mentions it
)

// kept counts the sessions of a store. The counts are upper bounds, but for what other servers do: what is created or
// first answered during a recount may be counted twice, until the next one.
type kept struct {
	used atomic.Bool // a session was asked for; nothing expires before

	mu       sync.Mutex
	open     int       // without an answer
	answered int       // with one
	making   int       // being created, besides
	created  int       // by this server so far
	first    int       // first answers so far
	counted  time.Time // when the store was last asked; zero: the counts are known to be too high
	told     int       // percent of the limit that the log has mentioned
}

// made gives back the place that room has taken. ok says whether there is a session now.
func (k *kept) made(ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.making--
	if ok {
		k.open++
		k.created++
	}
}

// answer counts a session's first answer.
func (k *kept) answer() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open--
	k.answered++
	k.first++
}

// recount marks the counts as too high, so that the store is asked as soon as they matter.
func (k *kept) recount() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counted = time.Time{}
}

// openTTL returns for how long a session without an answer is kept.
func (s *Sessions) openTTL() time.Duration {
	if s.TTL > 0 {
		return min(s.TTL, openTime)
	}
	return openTime
}

// expires returns when g expires if nothing more happens; nil: never.
func (s *Sessions) expires(g *loaded) *time.Time {
	ttl := s.TTL
	if !g.answered() {
		ttl = s.openTTL()
	}
	if ttl == 0 {
		return nil
	}
	at := g.Touched.Add(ttl)
	return &at
}

// expired reports whether g is no longer to be found, swept or not.
func (s *Sessions) expired(g *loaded) bool {
	at := s.expires(g)
	return at != nil && at.Before(s.Clock())
}

// Sweep deletes expired sessions now and then, until ctx ends. It waits until a session was asked for: a clock that is
// wrong when the machine starts gets time to be set.
func (s *Sessions) Sweep(ctx context.Context) { s.sweepEvery(ctx, sweepEvery) }

func (s *Sessions) sweepEvery(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.kept.used.Load() {
			continue
		}
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("expire sessions", "error", err)
		}
	}
}

// sweep deletes expired sessions in short batches, with as long a pause after each for the answers that wait, and counts
// the others.
func (s *Sessions) sweep(ctx context.Context) error {
	total := 0
	for {
		began := time.Now()
		gone, err := s.expire(ctx)
		if err != nil {
			return err
		}
		if total += gone; gone == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
	if total > 0 {
		s.Log.Info("sessions expired", "sessions", total)
	}
	return s.count(ctx)
}

// expire deletes one batch of expired sessions.
func (s *Sessions) expire(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	now := s.Clock()
	o := database.Old{Open: now.Add(-s.openTTL())}
	if s.TTL > 0 {
		o.Any = now.Add(-s.TTL)
	}
	return s.store.Expire(ctx, o)
}

// count asks the store how many sessions there are.
func (s *Sessions) count(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	k := &s.kept
	k.mu.Lock()
	k.counted = s.Clock()
	created, first := k.created, k.first
	k.mu.Unlock()
	open, answered, err := s.store.Count(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open, k.answered = open+k.created-created, answered+k.first-first
	percent := int(100 * int64(k.answered) / int64(s.MaxAnswered))
	if percent >= nearLimit && percent > k.told {
		s.Log.Warn("sessions with an answer are near their limit: export and delete some, or raise --max-answered",
			"sessions", k.answered, "limit", s.MaxAnswered)
	}
	k.told = percent
	return nil
}

// room takes the place of one more session, or refuses it. The caller then calls made. Where there is no room it first
// looks again, at most once a second, and deletes one batch of what has expired.
func (s *Sessions) room(ctx context.Context) error {
	k := &s.kept
	k.mu.Lock()
	look := s.full() != nil && s.Clock().Sub(k.counted) > time.Second
	k.mu.Unlock()
	if look {
		if _, err := s.expire(ctx); err != nil {
			return err
		}
		if err := s.count(ctx); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := s.full(); err != nil {
		return err
	}
	k.making++
	return nil
}

// full says why no more sessions are allowed; nil where they are. The caller holds kept.mu.
func (s *Sessions) full() error {
	switch k := &s.kept; {
	case k.open+k.making >= s.Max:
		return wire.Refuse(http.StatusTooManyRequests, "%d sessions without an answer are kept, and no more are allowed: answer or delete some, or wait until they expire", s.Max)
	case k.answered >= s.MaxAnswered:
		return wire.Refuse(http.StatusTooManyRequests, "%d sessions with an answer are kept, and no more are allowed: export and delete some, or start the server with a larger --max-answered", s.MaxAnswered)
	}
	return nil
}
