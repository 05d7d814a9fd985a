package sessions

import "sync"

// held is the games that this server has read or changed last, as they were then, so
// that an answer needs no reading. Nothing but a write that the store has agreed to
// is believed of them: where the open turn is still open there and asks the same
// query, nothing else has happened to the session since. What another server has
// gone on with is read anew.
type held struct {
	mu       sync.Mutex
	new, old map[string]*loaded // old is forgotten when new is full
	size     int                // of new, in bytes
}

const (
	heldBytes = 16 << 20 // in new, and as many in old
	gameBytes = 500      // of a game without its turns
	turnBytes = 200      // of a turn without its texts
)

// take removes a held game and returns it, nil where it is not held. The game is
// then the caller's.
func (h *held) take(id string) *loaded {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.new[id]
	if g != nil {
		h.size -= g.size()
	} else {
		g = h.old[id]
	}
	delete(h.new, id)
	delete(h.old, id)
	return g
}

// keep holds a game, which is no longer the caller's, without its policy: thousands of games may have
// as many versions of a learned table, which are to be freed once they are out of service.
func (h *held) keep(g *loaded) {
	g.policy = nil
	h.mu.Lock()
	defer h.mu.Unlock()
	if was := h.new[g.ID]; was != nil {
		h.size -= was.size()
	}
	if h.size += g.size(); h.new == nil || h.size > heldBytes {
		h.new, h.old, h.size = map[string]*loaded{}, h.new, g.size()
	}
	h.new[g.ID] = g
}

// size returns about how many bytes g takes.
func (g *loaded) size() int {
	n := gameBytes + len(g.Title)
	for i := range g.turns {
		t := &g.turns[i]
		n += turnBytes + len(t.Text) + len(t.Hash) + len(t.Annotator)
	}
	return n
}
