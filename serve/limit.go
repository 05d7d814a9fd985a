package serve

import (
	"sync"
	"time"
)

// limiter is a token bucket per client.
type limiter struct {
	rate, burst float64 // tokens a second, and at most
	mu          sync.Mutex
	clients     map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// maxClients bounds the memory of a limiter.
const maxClients = 10_000

func newLimiter(rate, burst float64) *limiter {
	return &limiter{rate: rate, burst: max(1, burst), clients: map[string]bucket{}}
}

// allow takes a token of client's, if it has one.
func (l *limiter) allow(client string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.clients[client]
	if !known {
		l.room(now)
		b = bucket{l.burst, now}
	}
	b.tokens = min(l.burst, b.tokens+l.rate*now.Sub(b.at).Seconds())
	b.at = now
	ok := b.tokens >= 1
	if ok {
		b.tokens--
	}
	l.clients[client] = b
	return ok
}

// room forgets clients whose buckets are full again, and, where there are still
// too many, all: then nobody is limited for a moment, and memory stays bounded.
func (l *limiter) room(now time.Time) {
	if len(l.clients) < maxClients {
		return
	}
	for c, b := range l.clients {
		if b.tokens+l.rate*now.Sub(b.at).Seconds() >= l.burst {
			delete(l.clients, c)
		}
	}
	if len(l.clients) >= maxClients {
		clear(l.clients)
	}
}
