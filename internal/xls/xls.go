package xls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Records that matter here ([MS-XLS] 2.3).
const (
	recFormula    = 0x0006
	recEOF        = 0x000A
	recFilePass   = 0x002F
	recBoundSheet = 0x0085
	recMulRK      = 0x00BD
	recRString    = 0x00D6
	recLabelSST   = 0x00FD
	recNumber     = 0x0203
	recLabel      = 0x0204
	recBoolErr    = 0x0205
	recRK         = 0x027E
	recBOF        = 0x0809
)

// Numbers returns the first sheet of the workbook in data: one slice a row, as long as
// the row's last number, NaN where a cell is empty; rows that are empty are nil.
// Text, truth values and errors in a cell are an error with the row and column,
// counted from 1. It takes time and memory linear in data; may be called
// concurrently.
func Numbers(data []byte) ([][]float64, error) {
	book, err := stream(data, "Workbook", "Book")
	if err != nil {
		return nil, err
	}
	at, err := firstSheet(book)
	if err != nil {
		return nil, err
	}
	var rows sheet
	inside := 0 // charts begun in the sheet and not ended: they keep the numbers that they draw in the same records
	for r := (records{data: book, at: at}); ; {
		id, body, err := r.next()
		switch {
		case err != nil:
			return nil, err
		case id == recBOF:
			inside++
		case id == recEOF && inside == 0:
			return rows, nil
		case id == recEOF:
			inside--
		case inside == 0:
			if err := rows.take(id, body); err != nil {
				return nil, err
			}
		}
	}
}

// firstSheet returns where the first worksheet begins in the workbook's stream.
func firstSheet(book []byte) (int, error) {
	r := records{data: book}
	for first := true; ; first = false {
		id, body, err := r.next()
		switch {
		case err != nil:
			return 0, err
		case first && (id != recBOF || len(body) < 2):
			return 0, errors.New("the workbook does not begin as one of Excel 95 to 2003")
		case id == recFilePass:
			return 0, errors.New("the workbook is encrypted: save it without a password")
		case id == recEOF:
			return 0, errors.New("the workbook has no worksheet")
		// A chart or a macro sheet (another type) holds no ratings.
		case id == recBoundSheet && len(body) >= 6 && body[5] == 0:
			at := int(binary.LittleEndian.Uint32(body))
			if at < 0 || at >= len(book) { // below 0 where an int has 32 bits
				return 0, errors.New("the workbook is cut short: its first sheet lies behind its end")
			}
			r := records{data: book, at: at}
			if id, _, err := r.next(); err != nil || id != recBOF {
				return 0, errors.New("the workbook is damaged: its first sheet does not begin where it should")
			}
			return r.at, nil
		}
	}
}

// records reads one record after another.
type records struct {
	data []byte
	at   int
}

// next returns a record's number and body.
func (r *records) next() (id uint16, body []byte, err error) {
	if r.at+4 > len(r.data) {
		return 0, nil, errors.New("the workbook is cut short: its sheet does not end")
	}
	id = binary.LittleEndian.Uint16(r.data[r.at:])
	n := int(binary.LittleEndian.Uint16(r.data[r.at+2:]))
	if r.at += 4; r.at+n > len(r.data) {
		return 0, nil, errors.New("the workbook is cut short in the middle of a cell")
	}
	body = r.data[r.at : r.at+n]
	r.at += n
	return id, body, nil
}

// sheet collects cells by row.
type sheet [][]float64

// take adds what a record holds; records that hold no cell are passed over.
func (s *sheet) take(id uint16, body []byte) error {
	switch id {
	case recNumber, recFormula, recRK, recMulRK, recLabel, recLabelSST, recRString, recBoolErr:
	default:
		return nil
	}
	if len(body) < 6 {
		return errors.New("the workbook is damaged: a cell is too short")
	}
	row, col := int(binary.LittleEndian.Uint16(body)), int(binary.LittleEndian.Uint16(body[2:]))
	switch value := body[6:]; {
	case id == recNumber && len(value) >= 8:
		return s.set(row, col, double(value))
	// Two bytes of ones stand for a result that is not a number.
	case id == recFormula && len(value) >= 8 && binary.LittleEndian.Uint16(value[6:]) != 0xFFFF:
		return s.set(row, col, double(value))
	case id == recRK && len(value) >= 4:
		return s.set(row, col, rk(binary.LittleEndian.Uint32(value)))
	case id == recMulRK:
		// Each is a format (2 bytes) and a number (4); the last column ends the record.
		for cells := body[4 : len(body)-2]; len(cells) >= 6; cells = cells[6:] {
			if err := s.set(row, col, rk(binary.LittleEndian.Uint32(cells[2:]))); err != nil {
				return err
			}
			col++
		}
		return nil
	case id == recNumber || id == recRK:
		return errors.New("the workbook is damaged: a number is too short")
	}
	return fmt.Errorf("row %d, column %d is not a number", row+1, col+1)
}

// mostColumns is how many a sheet of Excel 95 to 2003 has.
const mostColumns = 256

// set makes room and sets one cell.
func (s *sheet) set(row, col int, v float64) error {
	if col >= mostColumns {
		return fmt.Errorf("the workbook is damaged: a cell in row %d stands in column %d", row+1, col+1)
	}
	for len(*s) <= row {
		*s = append(*s, nil)
	}
	for len((*s)[row]) <= col {
		(*s)[row] = append((*s)[row], math.NaN())
	}
	(*s)[row][col] = v
	return nil
}

func double(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// rk decodes Excel's number in 30 bits: an integer or the upper part of a double,
// divided by 100 where the lowest bit says so.
func rk(v uint32) float64 {
	var x float64
	if v&2 != 0 {
		x = float64(int32(v) >> 2)
	} else {
		x = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		x /= 100
	}
	return x
}
