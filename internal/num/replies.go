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

// Width returns the number of columns rounded up to whole panels.
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
// over the threes (w, a, b) at place k of each row of x; clip keeps to ±[MostMean]. H is the entropy of a yes
// of that probability in nats, to within 2·10⁻⁷ where |x| is at most MostMean; beyond, up to 1, only the mean is right. The threes of a row are summed in order in float32, so lists of more than
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

// doubtSteps is into how many steps [0, 1] is cut for doubtOf.
const doubtSteps = 4096

// doubts is the entropy of an answer of mean 0, 1/doubtSteps, … 1, and once more at its end.
var doubts = func() (c [doubtSteps + 2]float32) {
	for k := range doubtSteps {
		q := (1 + float64(k)/doubtSteps) / 2
		c[k] = float32(-q*math.Log(q) - (1-q)*math.Log(1-q))
	}
	return c
}()

// doubtOf interpolates the entropy of an answer of mean x, up to MostMean either way.
func doubtOf(x float32) float32 {
	at := magnitude(x) * doubtSteps
	k := int(at)
	return doubts[k] + float32((at-float32(k))*(doubts[k+1]-doubts[k]))
}
