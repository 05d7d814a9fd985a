package serve

import "sync"

// held is the games that this server has read or changed last, as they were then, so
// that an answer needs no reading. Nothing but a write that the store has agreed to
// is believed of them: where the open turn is still open there and asks the same
// query, nothing else has happened to the session since. What another server has
// gone on with is read anew.
type held struct {
	mu       sync.Mutex
	new, old map[string]*game // old is forgotten when new is full
	turns    int              // in new
}

const heldTurns = 50_000 // in new, and as many in old

// take is a game that is held, nil where none is. It is then the caller's.
func (h *held) take(id string) *game {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.new[id]
	if g != nil {
		h.turns -= len(g.turns)
	} else {
		g = h.old[id]
	}
	delete(h.new, id)
	delete(h.old, id)
	return g
}

// keep holds a game, which is no longer the caller's.
func (h *held) keep(g *game) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if was := h.new[g.ID]; was != nil {
		h.turns -= len(was.turns)
	}
	if h.turns += len(g.turns); h.new == nil || h.turns > heldTurns {
		h.new, h.old, h.turns = map[string]*game{}, h.new, len(g.turns)
	}
	h.new[g.ID] = g
}
