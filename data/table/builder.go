package table

// newTable makes a table of that many cells, to be filled by put and [Table.FillUnknown].
func newTable(name string, objects, queries []string) *Table {
	return &Table{Name: name, Objects: objects, Queries: queries, P: make([]float64, len(objects)*len(queries))}
}

// reading is what one cell says: a share, a count where N is above 0, or nothing.
type reading struct {
	share   float64
	count   Count
	unknown bool
}

// put sets a cell.
func (t *Table) put(row, col int, c reading) {
	at := row*len(t.Queries) + col
	switch {
	case c.unknown:
		if t.Unknown == nil {
			t.Unknown = make([]bool, len(t.P))
		}
		t.Unknown[at] = true
	case c.count.N > 0:
		if t.Counts == nil {
			t.Counts = make([]Count, len(t.P))
		}
		t.Counts[at], t.P[at] = c.count, c.count.Share()
	default:
		t.P[at] = c.share
	}
}

// counted returns the reading of a count; a count of nothing is unknown.
func counted(c Count) reading { return reading{count: c, unknown: c.N == 0} }

// FillUnknown gives unknown cells the smoothed mean of their column, (Σp + 1)/(n + 2) over its n known cells.
func (t *Table) FillUnknown() {
	if t.Unknown == nil {
		return
	}
	n := len(t.Queries)
	sum, known := make([]float64, n), make([]float64, n)
	for at, p := range t.P {
		if !t.Unknown[at] {
			sum[at%n] += p
			known[at%n]++
		}
	}
	for at := range t.P {
		if t.Unknown[at] {
			t.P[at] = (sum[at%n] + 1) / (known[at%n] + 2)
		}
	}
}
