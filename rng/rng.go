package rng

import "math/rand/v2"

// Key names a stream. Keys made by different paths name unrelated streams.
type Key struct{ hi, lo uint64 }

// New returns the root of a run's keys.
func New(seed uint64) Key { return Key{mix(seed ^ 0x6d61706f), mix(seed + 0x9e3779b97f4a7c15)} }

// At returns the i-th child of k.
func (k Key) At(i int) Key {
	u := uint64(i)
	return Key{mix(k.hi ^ mix(u+0x9e3779b97f4a7c15)), mix(k.lo + mix(u^0xd1b54a32d192ed03))}
}

// Name returns the child of k with a name. Names and numbers never collide in
// practice: both words of the key are mixed from all that was said.
func (k Key) Name(name string) Key {
	h := Key{k.hi ^ 0xa0761d6478bd642f, k.lo ^ 0xe7037ed1a0b428db}
	for _, c := range []byte(name) {
		h = Key{mix(h.hi ^ uint64(c)), mix(h.lo + uint64(c) + 1)}
	}
	return h.At(len(name))
}

// Rand returns the stream as a generator of the standard library's.
func (k Key) Rand() *rand.Rand { return rand.New(rand.NewPCG(k.hi, k.lo)) }

// Generator is k.Rand() for one key after another without allocating. Its zero
// value is ready.
type Generator struct {
	pcg  rand.PCG
	rand *rand.Rand
}

// Of points the generator at k's stream. What it returned before goes on there.
func (g *Generator) Of(k Key) *rand.Rand {
	if g.rand == nil {
		g.rand = rand.New(&g.pcg)
	}
	g.pcg.Seed(k.hi, k.lo)
	return g.rand
}

// Stream returns the same stream's cheap sibling for hot loops: a value, no
// allocation, two draws a step of a game.
func (k Key) Stream() Stream { return Stream{k.hi ^ mix(k.lo)} }

// Stream is a SplitMix64 sequence (Steele, Lea and Flood 2014).
type Stream struct{ x uint64 }

// Uint64 returns the next word.
func (s *Stream) Uint64() uint64 {
	s.x += 0x9e3779b97f4a7c15
	return mix(s.x)
}

// Float32 returns a uniform number on [0, 1), a multiple of 2⁻²⁴.
func (s *Stream) Float32() float32 { return float32(s.Uint64()>>40) * 0x1p-24 }

// Float64 returns a uniform number on [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// mix applies SplitMix64's finaliser, a bijection of the words.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
