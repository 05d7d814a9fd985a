package nn

import (
	"math"
	"math/bits"

	"mapo"
	"mapo/internal/num"
	"mapo/posterior"
)

// What a Structured network reads of a query, and of a state for all its queries. All are of the order of 1;
// soft(v) is v/(1+|v|).
const (
	fCount     = iota // n_i/4
	fMean             // s_i/n_i, 0 where n_i = 0
	fInverse          // 1/(n_i+1)
	fSplit            // 1 − |Σ_z p_β(z)(2z_i−1)| for each of readBetas
	_                 //
	_                 //
	_                 //
	_                 //
	fSide             // Σ_z p_β(z)(2z_i−1) for readBetas[middle]
	fGain             // expected information of an answer for the same β, as a share of the most there can be
	fUncertain        // 1 where i ∈ SymDiff(Ẑ_t) (App. G), else 0
	fAgree            // s_i/n_i times the sign of the gap at i
	fGap              // soft of max ⟨z, θ̂⟩ over z_i = 1 less the same over z_i = 0
	fClose            // 1/(1+|that gap|)
	fRawGap           // soft of half the same gap of ⟨z, S⟩
	fNear             // Σ_j k_ij n_j/4, k the similarity of queries
	fNearSum          // Σ_j ±k_ij s_j/4, minus where i and j are like each other's negation
	fBalance          // 2·share of z_i = 1 − 1
	fLeft             // answers left/T
	fTime             // answers so far/16
	fEntropy          // entropy of p_β/log|𝒵| for β = readBetas[1] and readBetas[3]
	_                 //
	fTop              // soft of the best ⟨z, θ̂⟩ less the second best
	fLevel            // log₂(r)/8, 0 where unknown
	structuredFeatures
)

// readBetas are the error rates of the posteriors.
var readBetas = [...]float64{.05, .15, .3, .4, .45}

const (
	middle     = 2   // of readBetas
	readBlock  = 16  // states whose products are computed at once
	gainSteps  = 256 // of the table of information gains
	similarity = .04 // share of hypotheses at which two queries count 1/e of one
)

// reader computes the features on one problem. It is read-only once made.
type reader struct {
	p            *mapo.Problem
	d, n, words  int
	post         *posterior.Posterior
	zt           []float32              // 𝒵 transposed, [|X|, |Z|]
	row          []uint64               // the hypotheses as bit sets of queries, [|Z|, words]
	varied       []uint64               // queries with both a 0 and a 1, [words]
	near, signed []float32              // the similarity k_ij of queries, [|X|, |X|]
	balance      []float32              // [|X|]
	zero         []float32              // no biases
	power        [2][]float64           // ((1−β)/β)^−j for j = 0 … T
	odds         [2]float64             // log((1−β)/β)
	gain         [gainSteps + 2]float32 // of the information as a function of |marginal|
}

// readerScratch is one caller's, for readBlock states.
type readerScratch struct {
	mean, near, signed, marginal []float32 // [readBlock, |X|], marginal [readBlock, β, |X|]
	score, raw                   []float32 // ⟨z, θ̂⟩ and ⟨z, S⟩, [readBlock, |Z|]
	heap                         []uint64  // [|Z|]
	gap, rawGap                  []float32 // [|X|]
	some, all, open              []uint64  // [words]
	count                        []float64 // [T+1]
	of                           []uint8   // bucket of each hypothesis, [|Z|]
	starts, next                 []int     // of buckets, [buckets+1]
}

// newReader costs O(|X|²|Z|).
func newReader(p *mapo.Problem, widest int) *reader {
	d, n := p.Queries(), p.Hypotheses()
	f := &reader{p: p, d: d, n: n, words: (d + 63) / 64, post: posterior.New(p, readBetas[:]...),
		zt: make([]float32, d*n), balance: make([]float32, d), zero: make([]float32, max(d, n, widest))}
	f.row, f.varied = make([]uint64, n*f.words), make([]uint64, f.words)
	ones := make([]int, d)
	for k := range n {
		for i, z := range p.Row(k) {
			if z != 0 {
				f.zt[i*n+k] = 1
				f.row[k*f.words+i/64] |= 1 << (i % 64)
				ones[i]++
			}
		}
	}
	for i, c := range ones {
		f.balance[i] = float32(2*c)/float32(n) - 1
		if c > 0 && c < n {
			f.varied[i/64] |= 1 << (i % 64)
		}
	}
	f.relate()
	for j, beta := range [2]float64{readBetas[1], readBetas[3]} {
		f.odds[j] = math.Log((1 - beta) / beta)
		for g := range p.T + 1 {
			f.power[j] = append(f.power[j], math.Exp(-f.odds[j]*float64(g)))
		}
	}
	most := information(0)
	for j := range gainSteps + 1 {
		f.gain[j] = float32(information(float64(j)/gainSteps) / most)
	}
	return f
}

// information is what an answer with marginal m tells, in nats: H(½ + ½(1−2β)m) − H(β).
func information(m float64) float64 {
	beta := readBetas[middle]
	h := func(q float64) float64 { return -q*math.Log(q) - (1-q)*math.Log(1-q) }
	return h(.5+.5*(1-2*beta)*m) - h(beta)
}

// relate fills the similarity of queries: exp(−share of hypotheses that answer them differently/.04), or
// alike where that is the smaller share, the sign of signed telling which. Of few hypotheses, one is the
// share that counts 1/e. On thresholds it is a window.
func (f *reader) relate() {
	d, n := f.d, f.n
	words := (n + 63) / 64
	col := make([]uint64, d*words)
	for i := range d {
		for k, z := range f.zt[i*n : (i+1)*n] {
			if z != 0 {
				col[i*words+k/64] |= 1 << (k % 64)
			}
		}
	}
	f.near, f.signed = make([]float32, d*d), make([]float32, d*d)
	scale := max(similarity*float64(n), 1)
	for i := range d {
		for j := range i + 1 {
			differ := 0
			for w := range words {
				differ += bits.OnesCount64(col[i*words+w] ^ col[j*words+w])
			}
			v := float32(math.Exp(-float64(min(differ, n-differ)) / scale))
			f.near[i*d+j], f.near[j*d+i] = v, v
			switch {
			case 2*differ > n:
				v = -v
			case 2*differ == n:
				v = 0
			}
			f.signed[i*d+j], f.signed[j*d+i] = v, v
		}
	}
}

func (f *reader) scratch() *readerScratch {
	buckets := min(max(1, f.n/4), 64)
	return &readerScratch{
		mean: make([]float32, readBlock*f.d), near: make([]float32, readBlock*f.d), signed: make([]float32, readBlock*f.d),
		marginal: make([]float32, readBlock*len(readBetas)*f.d),
		score:    make([]float32, readBlock*f.n), raw: make([]float32, readBlock*f.n),
		heap: make([]uint64, f.n), gap: make([]float32, f.d), rawGap: make([]float32, f.d),
		some: make([]uint64, f.words), all: make([]uint64, f.words), open: make([]uint64, f.words),
		count: make([]float64, f.p.T+1), of: make([]uint8, f.n), starts: make([]int, buckets+1), next: make([]int, buckets+1),
	}
}

// read writes the features of s to dst. What is linear in the state is four matrix products.
func (f *reader) read(dst []float32 /* [B, |X|, features] */, s mapo.States, sc *readerScratch) {
	d, n := f.d, f.n
	states := s.Len(d)
	for lo := 0; lo < states; lo += readBlock {
		hi := min(states, lo+readBlock)
		part, b := rows(s, lo, hi, d), hi-lo
		mean := sc.mean[:b*d]
		for i, c := range part.N {
			mean[i] = 0
			if c != 0 {
				mean[i] = part.S[i] / c
			}
		}
		f.post.Marginals(sc.marginal[:b*len(readBetas)*d], part.S)
		num.Forward(sc.score[:b*n], mean, f.zt, f.zero[:n], b, d, n, num.Linear)
		num.Forward(sc.raw[:b*n], part.S, f.zt, f.zero[:n], b, d, n, num.Linear)
		num.Forward(sc.near[:b*d], part.N, f.near, f.zero[:d], b, d, d, num.Linear)
		num.Forward(sc.signed[:b*d], part.S, f.signed, f.zero[:d], b, d, d, num.Linear)
		for j := range b {
			f.state(dst[(lo+j)*d*structuredFeatures:][:d*structuredFeatures], part, j, sc)
		}
	}
}

// state writes the features of state b of a block.
func (f *reader) state(dst []float32, s mapo.States, b int, sc *readerScratch) {
	d, n := f.d, f.n
	score := sc.score[b*n : (b+1)*n]
	top := f.symDiff(score, sc)
	f.gaps(sc.gap, score, sc)
	raw := sc.raw[b*n : (b+1)*n]
	f.gaps(sc.rawGap, raw, sc)
	var all [structuredFeatures - fLeft]float32
	asked := float32(0)
	for _, c := range s.N[b*d : (b+1)*d] {
		asked += c
	}
	left := float32(f.p.T) - asked
	if s.Left != nil {
		left = s.Left[b]
	}
	all[0], all[fTime-fLeft] = left/float32(f.p.T), asked/16
	all[fEntropy-fLeft], all[fEntropy+1-fLeft] = f.entropies(raw, sc)
	all[fTop-fLeft] = soft(top)
	if s.Level != nil {
		all[fLevel-fLeft] = s.Level[b] / 8
	}
	f.local(dst, s, b, sc)
	for at := fLeft; at < len(dst); at += structuredFeatures {
		*(*[len(all)]float32)(dst[at:]) = all
	}
}

// local writes the first fLeft features of every query of state b of a block.
func (f *reader) local(dst []float32, s mapo.States, b int, sc *readerScratch) {
	d := f.d
	at := b * d
	count, mean, near, signed := s.N[at:at+d], sc.mean[at:at+d], sc.near[at:at+d], sc.signed[at:at+d]
	marginal := sc.marginal[at*len(readBetas):][:d*len(readBetas)]
	for i, c := range count {
		x := (*[fLeft]float32)(dst[i*structuredFeatures:])
		gap, m := sc.gap[i], mean[i]
		x[fCount], x[fMean], x[fInverse] = c/4, m, 1/(c+1)
		for j := range readBetas {
			x[fSplit+j] = 1 - abs(marginal[j*d+i])
		}
		side := marginal[middle*d+i]
		x[fSide], x[fGain] = side, f.gainAt(abs(side))
		x[fUncertain] = float32((sc.some[i/64] &^ sc.all[i/64]) >> (i % 64) & 1)
		x[fAgree] = 0
		if gap > mapo.Tie {
			x[fAgree] = m
		} else if gap < -mapo.Tie {
			x[fAgree] = -m
		}
		x[fClose] = 1 / (1 + abs(gap))
		x[fGap], x[fRawGap] = gap*x[fClose], soft(sc.rawGap[i]/2)
		x[fNear], x[fNearSum], x[fBalance] = near[i]/4, signed[i]/4, f.balance[i]
	}
}

// gainAt reads the table of information at |marginal| = m, in [0, 1], linear in between.
func (f *reader) gainAt(m float32) float32 {
	at := min(m, 1) * gainSteps
	j := int(at)
	return f.gain[j] + (at-float32(j))*(f.gain[j+1]-f.gain[j])
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func soft(v float32) float32 { return v / (1 + abs(v)) }
