package num

import "math"

// MostMean is up to which |mean| Replies counts an answer as open.
const MostMean = 0.96

// Panels is a matrix cut into panels of 16 columns, a panel's rows following each other; columns that do not exist are 0.
// Read-only once filled.
type Panels struct {
	rows, cols int
	v          []float32 // [Width()/16, rows, 16]
}

const panelWidth = 16

// NewPanels returns a matrix of zeros.
func NewPanels(rows, cols int) *Panels {
	shape(rows, cols, 0)
	p := &Panels{rows: rows, cols: cols}
	p.v = make([]float32, rows*p.Width())
	return p
}

// Width is the number of columns rounded up to whole panels.
func (p *Panels) Width() int { return (p.cols + panelWidth - 1) / panelWidth * panelWidth }

// At returns entry i of row k.
func (p *Panels) At(k, i int) float32 { return p.v[p.place(k, i)] }

// Set changes entry i of row k.
func (p *Panels) Set(k, i int, v float32) { p.v[p.place(k, i)] = v }

func (p *Panels) place(k, i int) int { return (i/panelWidth*p.rows+k)*panelWidth + i%panelWidth }

// Replies sums up how rows answer, each with its weight w and its mixture of clipped and plain means:
//
//	mean = Σ w·x, doubt = Σ w·H((1+x)/2), x = a·clip(m_k) + b·m_k
//
// over the threes (w, a, b) at place k of each row of x; clip keeps to ±[MostMean], and so must x. H is the entropy of a yes
// of that probability in nats, to within 2·10⁻⁷. The threes of a row are summed in order in float32, so lists of more than
// some hundred are better cut in several rows.
//
// Cost: some 30·m.Width() operations for each three of x that is there.
func Replies(mean, doubt []float32 /* [n, m.Width()] */, x *Threes, m *Panels) {
	n, width := x.Rows(), m.Width()
	shape(n, x.cols, width)
	size("mean", len(mean), n*width)
	size("doubt", len(doubt), n*width)
	size("rows of m", m.rows, x.cols)
	if len(x.entries) == 0 || width == 0 {
		clear(mean)
		clear(doubt)
		return
	}
	active.replies(mean, doubt, x, m)
}

const doubtMiddle = 0.625

// doubtTerms are the coefficients of the entropy of an answer of mean x as a polynomial in √(1−x²) − doubtMiddle, the highest
// first: it interpolates at the Chebyshev points of [0.27, 1]. The root takes the singularities at ±1 away.
var doubtTerms = [...]float32{
	0.07029949481815495, -0.0751528070919517, 0.05814483607324901, -0.06929796413456885, 0.09695957366340635,
	-0.15055995596973287, 0.27995423821687176, 0.8382460261132377, 0.34586173473992665,
}

func plainReplies(mean, doubt []float32, x *Threes, m *Panels) {
	clear(mean)
	clear(doubt)
	width := m.Width()
	for r := range x.Rows() {
		for _, e := range x.entries[x.start[r]:x.start[r+1]] {
			for c := 0; c < width; c += panelWidth {
				at := r*width + c
				addReply(mean[at:at+panelWidth], doubt[at:at+panelWidth], e.v, m.v[m.place(int(e.at), c):][:panelWidth])
			}
		}
	}
}

// addReply adds a row's part of one panel.
func addReply(mean, doubt []float32, v [3]float32, m []float32) {
	for i, of := range m {
		x := float32(v[1]*min(max(of, -MostMean), MostMean)) + float32(v[2]*of)
		mean[i] += float32(v[0] * x)
		doubt[i] += float32(v[0] * doubtOf(x))
	}
}

// doubtOf is the entropy of an answer of mean x, up to MostMean either way.
func doubtOf(x float32) float32 {
	v := float32(math.Sqrt(float64(1-float32(x*x)))) - doubtMiddle
	h := doubtTerms[0]
	for _, c := range doubtTerms[1:] {
		h = float32(h*v) + c
	}
	return h
}
