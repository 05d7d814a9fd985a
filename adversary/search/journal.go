package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"mapo/game"
	"mapo/game/sim"
	"mapo/record"
)

// ErrState is the error of a search whose From is damaged, or was kept by a search
// with other fields: begin anew, without it.
var ErrState = errors.New("search: the state is damaged or of another search")

// journal is what the blocks of a search came to, in their order, which is fixed. A
// search that reads it does the same as the one that wrote it, but plays nothing, and so
// comes to where that one was. The nil journal is empty and
// stays so.
type journal struct {
	of   []byte // a hash of what the result depends on
	data []float64
	at   int // where the next block is to be read or written
	done int // blocks before it
	d, k int // |X| and how many levels are searched
	keep func(done int, state func() []byte) error
	stop func()
	err  error // keep's
}

// journaled calls do, with a journal where the search is to keep one or has one from
// before. more is what the result depends on besides the fields.
func (h *hunt) journaled(do func() ([]record.Worst, error), more ...any) ([]record.Worst, error) {
	if h.Keep == nil && h.From == nil {
		return do()
	}
	ctx, stop := context.WithCancel(h.ctx)
	defer stop()
	h.ctx, h.journal = ctx, &journal{of: h.hash(more), d: h.d, k: len(h.Levels), keep: h.Keep, stop: stop}
	if h.From != nil {
		if err := h.journal.read(h.From); err != nil {
			return nil, err
		}
	}
	worst, err := do()
	if h.journal.err != nil {
		return nil, h.journal.err
	}
	return worst, err
}

// hash returns one of all that the search's result depends on. A few games stand for the
// policy and one value for 𝒞, of which no more can be known.
func (h *hunt) hash(more []any) []byte {
	b := sim.Block{P: h.P, L: 16, Theta: make([]float64, h.d), Stopper: game.StopperOf(h.Policy)}
	for i := range b.Theta {
		b.Theta[i] = .5 * h.shape.sign(0, i)
	}
	for b.Begin(h.key.Name("hash"), 0); b.Ask(); b.Answer() {
		h.Policy.Probs(b.Probs, b.States)
	}
	sum := sha256.New()
	h.P.Print(sum)
	fmt.Fprintf(sum, " %#v %#v", b.Asked, h.C.Of(b.Theta))
	fmt.Fprintf(sum, "%#v %#v %#v %#v", h.Loss, h.Search.Levels, h.Levels, h.Finite)
	fmt.Fprintf(sum, "%#v %#v %#v %#v", h.effort, h.Bank.Instances(), h.key, more)
	return sum.Sum(nil)
}

// state returns the journal as far as it goes: a checksum, then the numbers.
func (j *journal) state() []byte {
	state := make([]byte, sha256.Size, sha256.Size+8*j.at)
	for _, v := range j.data[:j.at] {
		state = binary.LittleEndian.AppendUint64(state, math.Float64bits(v))
	}
	copy(state, j.sum(state[sha256.Size:]))
	return state
}

// sum returns the checksum of what state writes; another search's differs.
func (j *journal) sum(numbers []byte) []byte {
	sum := sha256.New()
	sum.Write(j.of)
	sum.Write(numbers)
	return sum.Sum(nil)
}

// read loads what state returned, for the blocks to be recalled one by one; [ErrState]
// where that is damaged or another search's.
func (j *journal) read(state []byte) error {
	if len(state) < sha256.Size || !bytes.Equal(state[:sha256.Size], j.sum(state[sha256.Size:])) {
		return ErrState
	}
	for at := sha256.Size; at < len(state); at += 8 {
		j.data = append(j.data, math.Float64frombits(binary.LittleEndian.Uint64(state[at:])))
	}
	return nil
}

// next returns the block to be recalled, n numbers, nil where there is none: before them
// stands n.
func (j *journal) next(n int) []float64 {
	if len(j.data)-j.at < 1+n || j.data[j.at] != float64(n) {
		return nil
	}
	x := j.data[j.at+1 : j.at+1+n]
	j.at += 1 + n
	j.done++
	return x
}

// put appends a block and tells keep. The caller has the turn to merge.
func (j *journal) put(x []float64) {
	if j.err != nil {
		return
	}
	j.data = append(append(j.data[:j.at], float64(len(x))), x...)
	j.at = len(j.data)
	j.done++
	if j.keep == nil {
		return
	}
	if j.err = j.keep(j.done, j.state); j.err != nil {
		j.stop()
	}
}

// sumSize is how many numbers a sum takes, trialHead how many a trial besides θ.
const (
	sumSize   = 3
	trialHead = 4
)

// Recall implements sim.Ledger.
func (j *journal) Recall(sums []sim.Sum) bool {
	if j == nil {
		return false
	}
	x := j.next(sumSize * len(sums))
	if x == nil {
		return false
	}
	for i := range sums {
		s := x[i*sumSize:]
		sums[i] = sim.Sum{N: int(s[0]), X: s[1], XX: s[2]}
	}
	return true
}

// Note implements sim.Ledger.
func (j *journal) Note(sums []sim.Sum) {
	if j == nil {
		return
	}
	x := make([]float64, 0, sumSize*len(sums))
	for _, s := range sums {
		x = append(x, float64(s.N), s.X, s.XX)
	}
	j.put(x)
}

// recall brings trials to where they were when they were noted; those that are nil
// it makes, but for such as were nil then.
func (j *journal) recall(ts []*trial) bool {
	if j == nil {
		return false
	}
	size := trialHead + j.d
	x := j.next(size * len(ts))
	if x == nil {
		return false
	}
	for i := range ts {
		from := x[i*size : (i+1)*size]
		if from[0] < 0 {
			continue
		}
		if !(from[0] < float64(j.k)) {
			return false // no candidate
		}
		if ts[i] == nil {
			ts[i] = &trial{theta: make([]float64, j.d)}
		}
		t := ts[i]
		t.level, t.rho, t.mean, t.games = int(from[0]), from[1], from[2], int(from[3])
		copy(t.theta, from[trialHead:])
	}
	return true
}

// note notes trials that were made or moved.
func (j *journal) note(ts []*trial) {
	if j == nil {
		return
	}
	size := trialHead + j.d
	x := make([]float64, size*len(ts))
	for i, t := range ts {
		to := x[i*size : (i+1)*size]
		if t == nil {
			to[0] = -1
			continue
		}
		to[0], to[1], to[2], to[3] = float64(t.level), t.rho, t.mean, float64(t.games)
		copy(to[trialHead:], t.theta)
	}
	j.put(x)
}

// each calls work for all of ts on the workers, per trials at a time, with the number of
// the first. work may move trials, or make those that are nil. Blocks that the journal
// has are recalled, not worked out again.
func each[W any](h *hunt, ts []*trial, per int, newWorker func() W, work func(w W, lo int, ts []*trial)) error {
	blocks, from := (len(ts)+per-1)/per, 0
	part := func(block int) []*trial { return ts[block*per : min((block+1)*per, len(ts))] }
	for from < blocks && h.journal.recall(part(from)) {
		from++
	}
	return sim.Each(h.ctx, blocks-from, h.Workers, newWorker, func(w W, block int) {
		work(w, (from+block)*per, part(from+block))
	}, func(_ W, block int) { h.journal.note(part(from + block)) })
}
