package xls

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf16"
)

// Of the container, a small file system in 512-byte sectors ([MS-CFB]).
const (
	endOfChain  = 0xFFFFFFFE
	mostRegular = 0xFFFFFFFA // sectors with larger numbers mean something else
	miniSector  = 64
	entrySize   = 128
	entryStream = 2
	entryRoot   = 5
)

var (
	signature = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}

	errNone  = errors.New("this is not a workbook of Excel 95 to 2003 (.xls)")
	errBroke = errors.New("the workbook is cut short or damaged: fetch it again")
)

// container is a compound file: sectors chained by a table.
type container struct {
	data   []byte
	size   int      // of a sector
	fat    []uint32 // the sector that follows each
	cutoff uint32   // shorter streams lie in the mini stream
}

// stream returns the first stream of the container in data that has one of names.
func stream(data []byte, names ...string) ([]byte, error) {
	if len(data) < 512 || !bytes.HasPrefix(data, signature) {
		return nil, errNone
	}
	shift := binary.LittleEndian.Uint16(data[30:])
	if shift != 9 && shift != 12 {
		return nil, errBroke
	}
	c := &container{data: data, size: 1 << shift, cutoff: word(data, 56)}
	if err := c.readTable(); err != nil {
		return nil, err
	}
	folder, err := c.chain(word(data, 48))
	if err != nil {
		return nil, err
	}
	var root, found []byte
	for ; len(folder) >= entrySize; folder = folder[entrySize:] {
		switch entry := folder[:entrySize]; {
		case entry[66] == entryRoot:
			root = entry
		case entry[66] == entryStream && found == nil && slices.Contains(names, entryName(entry)):
			found = entry
		}
	}
	if found == nil {
		return nil, errNone
	}
	start, n := word(found, 116), word(found, 120)
	if uint64(n) > uint64(len(data)) {
		return nil, errBroke
	}
	if n < c.cutoff && root != nil {
		return c.mini(root, start, n)
	}
	all, err := c.chain(start)
	if err == nil && uint64(len(all)) < uint64(n) {
		err = errBroke
	}
	if err != nil {
		return nil, err
	}
	return all[:n], nil
}

// word returns the 32-bit number at an offset.
func word(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// entryName returns a folder entry's name, UTF-16 with its length in bytes behind it.
func entryName(entry []byte) string {
	n := min(int(binary.LittleEndian.Uint16(entry[64:])), 64)
	var name []uint16
	for i := 0; i+2 < n; i += 2 { // the last is the 0 that ends it
		name = append(name, binary.LittleEndian.Uint16(entry[i:]))
	}
	return string(utf16.Decode(name))
}

// sector returns one sector's bytes; the file's last may be short.
func (c *container) sector(i uint32) ([]byte, error) {
	from := (uint64(i) + 1) * uint64(c.size)
	if i > mostRegular || from >= uint64(len(c.data)) {
		return nil, errBroke
	}
	return c.data[from:min(from+uint64(c.size), uint64(len(c.data)))], nil
}

// readTable reads the table of chains. The header names its first 109 sectors, a
// chain of sectors the others.
func (c *container) readTable() error {
	places := c.data[76:512]
	next := word(c.data, 68)
	// A table has no more sectors than the file.
	for most := len(c.data) / c.size; ; most-- {
		for ; len(places) >= 4; places = places[4:] {
			at := word(places, 0)
			if at > mostRegular {
				continue
			}
			part, err := c.sector(at)
			if err != nil {
				return err
			}
			for ; len(part) >= 4; part = part[4:] {
				c.fat = append(c.fat, word(part, 0))
			}
			if len(c.fat) > 2*len(c.data) {
				return errBroke
			}
		}
		if next > mostRegular {
			return nil
		}
		part, err := c.sector(next)
		if err != nil || most < 0 || len(part) < c.size {
			return errBroke
		}
		places, next = part[:c.size-4], word(part, c.size-4)
	}
}

// chain returns the bytes of a chain of sectors.
func (c *container) chain(at uint32) ([]byte, error) {
	var out []byte
	for at != endOfChain {
		part, err := c.sector(at)
		// A chain that comes back to itself would never end.
		if err != nil || int(at) >= len(c.fat) || len(out) > len(c.data) {
			return nil, errBroke
		}
		out = append(out, part...)
		at = c.fat[at]
	}
	return out, nil
}

// mini returns n bytes of a stream that lies in the mini stream, root's own.
func (c *container) mini(root []byte, at, n uint32) ([]byte, error) {
	all, err := c.chain(word(root, 116))
	if err != nil {
		return nil, err
	}
	table, err := c.chain(word(c.data, 60))
	if err != nil {
		return nil, err
	}
	var out []byte
	for uint32(len(out)) < n {
		from := uint64(at) * miniSector
		if at > mostRegular || from+miniSector > uint64(len(all)) || uint64(at)*4+4 > uint64(len(table)) {
			return nil, errBroke
		}
		out = append(out, all[from:from+miniSector]...)
		at = word(table, int(at)*4)
	}
	return out[:n], nil
}
