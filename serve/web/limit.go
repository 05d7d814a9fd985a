package web

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter is a token bucket per client.
type limiter struct {
	rate    rate.Limit // tokens a second
	burst   int        // the most tokens of a bucket
	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// maxClients bounds the memory of a limiter.
const maxClients = 10_000

func newLimiter(perSecond, burst float64) *limiter {
	return &limiter{rate: rate.Limit(perSecond), burst: max(1, int(burst)), clients: map[string]*rate.Limiter{}}
}

// allow takes a token of client's, if it has one.
func (l *limiter) allow(client string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.clients[client]
	if b == nil {
		l.room(now)
		b = rate.NewLimiter(l.rate, l.burst)
		l.clients[client] = b
	}
	return b.AllowN(now, 1)
}

// room forgets clients whose buckets are full again. Where there are still too
// many, it forgets all: clients then start with full buckets, and memory stays bounded.
func (l *limiter) room(now time.Time) {
	if len(l.clients) < maxClients {
		return
	}
	for c, b := range l.clients {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.clients, c)
		}
	}
	if len(l.clients) >= maxClients {
		clear(l.clients)
	}
}
