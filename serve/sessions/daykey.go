package sessions

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"mapo/serve/database"
)

// dayKeys has the key of the day, which addresses are hashed with.
type dayKeys struct {
	mu  sync.Mutex
	day string
	key []byte
}

const clientBytes = 12 // of the hash that stands for a client

// client returns what stands for the client of a request in the store: a hash of its token, or of its address with a key
// that changes every day, or "l" for this machine.
func (s *Sessions) client(ctx context.Context) (database.Client, error) {
	switch r := RequesterOf(ctx); {
	case r.Token != "":
		return database.Client{ID: "t:" + hashed([]byte(r.Token), "mapo client")}, nil
	case !r.Loopback:
		key, err := s.dayKey(ctx)
		return database.Client{ID: "a:" + hashed(key, r.Address), Capped: true}, err
	}
	return database.Client{ID: "l"}, nil
}

// hashed returns the start of the HMAC of text.
func hashed(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:clientBytes])
}

// dayKey returns today's key. The lock is not held while the store is asked.
func (s *Sessions) dayKey(ctx context.Context) ([]byte, error) {
	day := s.now().Format(time.DateOnly)
	k := &s.days
	k.mu.Lock()
	key := k.key
	if k.day != day {
		key = nil
	}
	k.mu.Unlock()
	if key != nil {
		return key, nil
	}
	key, err := s.store.DayKey(ctx, day)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.day, k.key = day, key
	return key, nil
}
