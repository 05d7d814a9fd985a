package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/internal/disk"
)

// mostHead is the longest header of a .npy file that is read.
const mostHead = 1 << 16

// isNPY reports whether a file is an array of NumPy's, by its name.
func isNPY(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".npy")
}

// array is a two-dimensional array of numbers in a .npy file (NumPy Enhancement Proposal 1).
type array struct {
	rows, cols int
	fortran    bool // the numbers of a column stand together, and not those of a row
	width      int  // bytes of a number
	value      func(b []byte) float64
}

// each calls do with every number, in the order of the file, and refuses what is cut short and what follows.
func (a *array) each(in *bufio.Reader, do func(row, col int, v float64) error) error {
	number := make([]byte, a.width)
	for k := range a.rows * a.cols {
		row, col := k/a.cols, k%a.cols
		if a.fortran {
			row, col = k%a.rows, k/a.rows
		}
		if _, err := io.ReadFull(in, number); err != nil {
			return fmt.Errorf("the array is cut short in row %d of %d, column %d of %d: write it again", row+1, a.rows, col+1, a.cols)
		}
		if err := do(row, col, a.value(number)); err != nil {
			return err
		}
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the array of %d × %d: write it again", a.rows, a.cols)
	}
	return nil
}

// layout says what a file's array holds, for messages.
type layout struct{ sides, remedy, kind string }

var (
	predictionLayout = layout{"items × models", " Probabilities of classes? Save a.argmax(-1)", "int32"}
	vectorLayout     = layout{"vectors × entries", " One vector? Save a.reshape(1, -1)", "float64"}
)

// readNPY reads predictions from an array of class indices, items × models.
func readNPY(path string, given []string) (*Predictions, error) {
	f, err := disk.Unpack(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseNPY(f, path, given)
}

// parseNPY reads predictions from r as readNPY does from a file; name stands for the file.
func parseNPY(r io.Reader, name string, given []string) (*Predictions, error) {
	c, err := newClasses(given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in := bufio.NewReaderSize(r, 64<<10)
	a, err := arrayHead(in, predictionLayout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case a.cols < 2:
		return nil, fmt.Errorf("%s: the array is %d × %d; rows are items and columns models, of which there must be at least 2", name, a.rows, a.cols)
	case a.rows < a.cols:
		return nil, fmt.Errorf("%s: the array is %d × %d; rows are items and columns models, and a pool has more items than models: transpose it (numpy.save(file, a.T))", name, a.rows, a.cols)
	}
	out := &Predictions{Name: name, Items: numberedItems(a.rows), Of: make([]int32, a.rows*a.cols)}
	for m := range a.cols {
		out.Models = append(out.Models, "model "+strconv.Itoa(m+1))
	}
	err = a.each(in, func(row, col int, v float64) error {
		id, err := c.index(v)
		if err != nil {
			return fmt.Errorf("row %d, column %d (%s) %w", row+1, col+1, out.Models[col], err)
		}
		out.Of[row*a.cols+col] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out.Classes = c.sorted(out.Of)
	return out, nil
}

// index returns the class of a number in an array: of that index in the given ones, else called by the number.
func (c *classes) index(v float64) (int32, error) {
	switch {
	case math.IsNaN(v):
		return 0, errors.New("is NaN, no prediction; a model predicts a class for every item: fill it in, or remove the item or the model")
	case v != math.Trunc(v) || v < 0 || v > math.MaxInt32:
		return 0, fmt.Errorf("is %v; a class is an index, 0, 1, 2, …", v)
	case c.given && int(v) >= len(c.names):
		return 0, fmt.Errorf("is class index %v; the list of classes has %d, from index 0 on", v, len(c.names))
	case c.given:
		return int32(v), nil
	}
	return c.of(strconv.Itoa(int(v)))
}

// What is read of a header, which is a literal of Python's.
var (
	npyType    = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([^)]*)\)`)
)

// arrayHead reads what comes before the numbers.
func arrayHead(in io.Reader, of layout) (a array, err error) {
	var magic [8]byte
	if _, err := io.ReadFull(in, magic[:]); err != nil || !bytes.HasPrefix(magic[:], []byte("\x93NUMPY")) {
		return a, errors.New("not a .npy file: write it with numpy.save")
	}
	size := make([]byte, 4)
	if magic[6] == 1 {
		size = size[:2]
	}
	if magic[6] < 1 || magic[6] > 3 {
		return a, fmt.Errorf("a .npy file of version %d; versions 1 to 3 are read: write it with numpy.save", magic[6])
	}
	if _, err := io.ReadFull(in, size); err != nil {
		return a, errors.New("the header is cut short: write the file again")
	}
	length := binary.LittleEndian.Uint32(append(size, 0, 0)[:4])
	if length > mostHead {
		return a, fmt.Errorf("the header has %d bytes; an array of numbers has a short one: write it with numpy.save", length)
	}
	head := make([]byte, length)
	if _, err := io.ReadFull(in, head); err != nil {
		return a, errors.New("the header is cut short: write the file again")
	}
	return arrayOf(string(head), of)
}

// arrayOf reads the header.
func arrayOf(head string, of layout) (a array, err error) {
	kind, order, shape := npyType.FindStringSubmatch(head), npyFortran.FindStringSubmatch(head), npyShape.FindStringSubmatch(head)
	if kind == nil || order == nil || shape == nil {
		return a, errors.New("the header is not that of one array of numbers: write it with numpy.save")
	}
	if a.width, a.value = numberOf(kind[1]); a.value == nil {
		return a, fmt.Errorf("the numbers are of type %s; whole numbers and floats in little-endian order are read: save a.astype('%s')", table.Quote(kind[1]), of.kind)
	}
	a.fortran = order[1] == "True"
	var sides []int
	for side := range strings.SplitSeq(shape[1], ",") {
		if side = strings.TrimSpace(side); side == "" {
			continue
		}
		n, err := strconv.Atoi(side)
		if err != nil || n < 0 {
			return a, fmt.Errorf("the array's shape is (%s), which is not one of whole numbers: write it with numpy.save", shape[1])
		}
		sides = append(sides, n)
	}
	if len(sides) != 2 {
		return a, fmt.Errorf("the array has %d dimensions; there must be 2, %s.%s", len(sides), of.sides, of.remedy)
	}
	if a.rows, a.cols = sides[0], sides[1]; a.cols > 0 && a.rows > MaxCells/a.cols {
		return a, fmt.Errorf("the array has more than %d numbers, too many to hold: split it", MaxCells)
	}
	return a, nil
}

// npyNumber matches the types that are read: whole numbers and floats in little-endian order.
var npyNumber = regexp.MustCompile(`^(?:\|([biu])(1)|<([iu])([248])|<(f)([48]))$`)

// numberOf returns the width of a type of NumPy's and what reads it; nil where it is not read.
func numberOf(kind string) (width int, value func(b []byte) float64) {
	m := npyNumber.FindStringSubmatch(kind)
	if m == nil {
		return 0, nil
	}
	width, _ = strconv.Atoi(m[2] + m[4] + m[6]) // the pattern has digits alone
	return width, func(b []byte) float64 {
		var all [8]byte
		copy(all[:], b)
		bits, unused := binary.LittleEndian.Uint64(all[:]), 64-8*width
		switch m[1] + m[3] + m[5] {
		case "i":
			return float64(int64(bits<<unused) >> unused)
		case "f":
			if width == 4 {
				return float64(math.Float32frombits(uint32(bits)))
			}
			return math.Float64frombits(bits)
		}
		return float64(bits)
	}
}
