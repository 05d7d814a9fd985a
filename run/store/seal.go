package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// An object is stored sealed: one line of text, then its bytes.
//
//	mapo object 1 <64 hex digits>\n<data>
//
// The digits are the SHA-256 of the name and the data, each behind its length. The name is covered so
// that a file copied over another, or a checkpoint renamed to a later iteration, is refused. The
// length is covered so that no cut or added byte goes unseen.
const sealMagic = "mapo object 1 "

const sealLen = len(sealMagic) + 2*sha256.Size + 1

// Seal returns the stored form of data under name. Cost: one hash and one copy of data.
func Seal(name string, data []byte) []byte {
	blob := make([]byte, 0, sealLen+len(data))
	blob = append(blob, sealLine(name, data)...)
	return append(blob, data...)
}

// sealLine returns the first line of the stored form of data under name, with its newline.
func sealLine(name string, data []byte) []byte {
	h := sha256.New()
	writeSealed(h, name, data)
	line := make([]byte, 0, sealLen)
	line = append(line, sealMagic...)
	line = hex.AppendEncode(line, h.Sum(nil))
	return append(line, '\n')
}

func writeSealed(h hash.Hash, name string, data []byte) {
	writePart(h, []byte(name))
	writePart(h, data)
}

// Unseal returns the inverse of [Seal]: it returns the data of blob, which shares blob's memory, or an error
// wrapping ErrCorrupt that says what is wrong.
func Unseal(name string, blob []byte) ([]byte, error) {
	if len(blob) < sealLen {
		return nil, fmt.Errorf("%w: %d bytes, fewer than the first line's %d: cut short", ErrCorrupt, len(blob), sealLen)
	}
	if !bytes.HasPrefix(blob, []byte(sealMagic)) {
		return nil, fmt.Errorf("%w: does not begin with %q: not an object of this store, or of another version", ErrCorrupt, sealMagic)
	}
	data := blob[sealLen:]
	if !bytes.Equal(blob[:sealLen], sealLine(name, data)) {
		return nil, fmt.Errorf("%w: the checksum does not match: cut short, altered, or moved from another name", ErrCorrupt)
	}
	return data, nil
}
