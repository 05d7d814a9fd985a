package dataset

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/game"
	"mapo/internal/disk"
)

// What vectors there may be: a game inverts matrices of as many rows as they have dimensions, and a difference of hypotheses
// is a linear programme.
const (
	MostVectors = game.MostVectors
	MostDim     = 100
)

// mostEntry is the largest size of an entry.
const mostEntry = 1e6

// VectorSet is a finite set of vectors with names.
type VectorSet struct {
	Name    string   // the file
	Names   []string // of the vectors
	Dim     int
	Entries []float64 // [len(Names), Dim]
}

// ReadVectors reads a set of vectors from a CSV file, which may end in .gz, or from NumPy's .npy: a row a vector, all of one
// length. The first column may hold their names. A first row is a header where it has a text behind its first cell, or where
// that is empty or says what the column holds, such as name. The names may be numbers then, as those of rows are.
func ReadVectors(path string) (*VectorSet, error) {
	if isNPY(path) {
		f, err := disk.Unpack(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return ParseVectorArray(f, path)
	}
	return read(path, readVectors)
}

// readVectors returns both readers, once the file is open.
func readVectors(l *lines) (*VectorSet, error) {
	s := &VectorSet{Name: l.name}
	var width int
	var named bool // whether the first column holds names
	first := true
	err := eachLine(l.next, func(cells []string) error {
		if first && heads(cells) {
			width, first, named = len(cells), false, slices.Contains(sureHeads, headOf(cells[0]))
			return nil
		}
		if len(s.Names) == 0 {
			named = named || !numbers(cells[:1])
		}
		if width == 0 {
			width = len(cells)
		}
		first = false
		switch {
		case len(cells) != width:
			return l.fault("the row has %d cells, and the first has %d: all vectors have as many entries", len(cells), width)
		case len(s.Names) == MostVectors:
			return l.fault("more than %d vectors: leave out those that are alike", MostVectors)
		}
		name := strconv.Itoa(len(s.Names) + 1)
		if named {
			name, cells = cells[0], cells[1:]
		}
		return s.vector(l, name, cells, named)
	})
	if err != nil {
		return nil, err
	}
	if len(s.Names) == 0 {
		return nil, l.fault("the file has no vectors: write one a line, its entries between commas, with a name in the first column or without")
	}
	return s, nil
}

// heads reports whether the first row of a file is a header.
func heads(cells []string) bool {
	return !numbers(cells[min(1, len(cells)-1):]) || slices.Contains(vectorHeads, headOf(cells[0]))
}

// headOf returns a cell of a header as lists of them have it.
func headOf(cell string) string { return strings.ToLower(table.Fold(cell)) }

// sureHeads head the column of names also where these are numbers; any of vectorHeads does where
// they are not.
var (
	sureHeads   = []string{"", "unnamed: 0", "index", "id", "item", "name", "query", "hypothesis", "vector", "arm"}
	vectorHeads = slices.Concat(sureHeads, itemNames)
)

// vector appends a vector.
func (s *VectorSet) vector(l *lines, name string, cells []string, named bool) error {
	column := 1
	if named {
		column = 2
	}
	if name == "" {
		return l.fault("the vector's name in the first column is empty: write one")
	}
	if s.Dim = len(cells); s.Dim < 1 || s.Dim > MostDim {
		return l.fault("the vector has %d entries; there must be from 1 to %d", s.Dim, MostDim)
	}
	for i, cell := range cells {
		v, err := number(cell)
		switch {
		case err != nil:
			return l.fault("column %d is %s, not a number: all entries of a vector are numbers", column+i, table.Quote(cell))
		case !(math.Abs(v) <= mostEntry):
			return l.fault("column %d is %v; an entry is of size up to %g: divide the vectors by their size", column+i, v, mostEntry)
		}
		s.Entries = append(s.Entries, v)
	}
	s.Names = append(s.Names, name)
	return nil
}

// ParseVectorArray reads an array of NumPy's, vectors × entries; name stands for the file. Vectors are called by their numbers.
func ParseVectorArray(r io.Reader, name string) (*VectorSet, error) {
	in := bufio.NewReader(r)
	a, err := arrayHead(in, vectorLayout)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case a.rows < 1 || a.rows > MostVectors || a.cols < 1 || a.cols > MostDim:
		return nil, fmt.Errorf("%s: the array is %d × %d; rows are vectors, from 1 to %d, and columns their entries, from 1 to %d", name, a.rows, a.cols, MostVectors, MostDim)
	}
	s := &VectorSet{Name: name, Dim: a.cols, Entries: make([]float64, a.rows*a.cols)}
	for i := range a.rows {
		s.Names = append(s.Names, strconv.Itoa(i+1))
	}
	err = a.each(in, func(row, col int, v float64) error {
		if !(math.Abs(v) <= mostEntry) {
			return fmt.Errorf("row %d, column %d is %v; an entry is a number of size up to %g: divide the vectors by their size", row+1, col+1, v, mostEntry)
		}
		s.Entries[row*a.cols+col] = v
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// sole reports the first name that stands twice.
func (s *VectorSet) sole() error {
	seen := map[string]int{}
	for i, name := range s.Names {
		if j, ok := seen[table.Fold(name)]; ok {
			return fmt.Errorf("%s: vectors %d and %d are both called %s: rename one", s.Name, j+1, i+1, table.Quote(name))
		}
		seen[table.Fold(name)] = i
	}
	return nil
}

// Vectors returns the game of asking queries x, whose answers have mean ⟨x, θ⟩, for the hypothesis z with the largest ⟨z, θ⟩. nil
// for z: one of the queries is recommended. Where queries are the unit vectors and hypotheses are 0 and 1 it is the game
// without vectors. Errors name the file.
func Vectors(x, z *VectorSet, budget int) (*game.Problem, error) {
	if z == nil {
		z = x
	}
	for _, s := range []*VectorSet{x, z} {
		if err := s.sole(); err != nil {
			return nil, err
		}
	}
	switch {
	case x.Dim != z.Dim:
		return nil, fmt.Errorf("%s: hypotheses have %d entries, and the queries in %s %d: both are vectors of one length", z.Name, z.Dim, x.Name, x.Dim)
	case len(z.Names) < 2:
		return nil, fmt.Errorf("%s: one hypothesis; a game needs at least 2", z.Name)
	}
	p := &game.Problem{Name: Base(x.Name), Names: z.Names, T: budget, Seek: &game.Vectors{X: x.Entries, Dim: x.Dim}}
	for _, name := range x.Names {
		p.X = append(p.X, asked(name, "yes?"))
	}
	p, err := p.Fold(z.Entries)
	if err == nil {
		p = p.Plain()
		err = p.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", z.Name, err)
	}
	return p, nil
}

// asked returns what a person is asked about a query of that name; a name that is a question stays.
func asked(name, about string) string {
	if strings.HasSuffix(name, "?") {
		return name
	}
	return name + ": " + about
}

// MeasuredVectors rewrites the texts of queries so that they ask for numbers.
func MeasuredVectors(p *game.Problem) {
	for i, text := range p.X {
		if name, ok := strings.CutSuffix(text, ": yes?"); ok {
			p.X[i] = asked(name, "its value?")
		}
	}
}

// vectorInstance returns the mean answers to the queries, [|X|], for a row of θ, [Dim]: ⟨x, θ⟩ in
// the units of answers, divided by their bound.
func vectorInstance(l *lines, cells []string, p *game.Problem, vectors []float64, dim int) ([]float64, error) {
	if len(cells) != dim {
		return nil, l.fault("the row has %d cells, the problem's vectors %d entries: write θ, one number for each", len(cells), dim)
	}
	theta := make([]float64, dim)
	for i, cell := range cells {
		var err error
		if theta[i], err = number(cell); err != nil {
			return nil, l.fault("column %d is %s, not a number: write θ, one number for each entry of a vector", i+1, table.Quote(cell))
		}
	}
	bound, means := p.Answer().Unit(), make([]float64, p.Queries())
	for x := range means {
		for j, w := range theta {
			means[x] += w * vectors[x*dim+j]
		}
		if !(math.Abs(means[x]) <= bound) {
			return nil, l.fault("the mean answer to %s is ⟨x, θ⟩ = %.4g; answers allow means from %g to %g: divide θ, or answer with numbers of a larger bound", table.Quote(p.X[x]), means[x], -bound, bound)
		}
		means[x] /= bound
	}
	return means, nil
}
