package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
)

// Key names the result of a job: the SHA-256, in 64 lower-case hex digits, of everything the result
// depends on. Equal keys mean equal bytes, so a key may stand for the result before it exists.
type Key string

// keyScheme is hashed first: changing what a key covers changes every key.
const keyScheme = "mapo key 1"

// KeyOf returns the key of a step (its name and version, such as "train/1") on its canonical input
// (which holds the seed) in an environment: the kernel, the precision and the architecture, each in
// a form such as "kernel=go". Results of different environments may differ in their last bits, so
// they get different keys and are never mixed.
//
// Every part is hashed behind its length, an 8-byte big-endian number, after the count of parts:
// no two different lists of parts hash the same bytes ("ab", "c" is not "a", "bc", nor "abc", "").
// The order of the environment matters. Cost: one pass over the input. Safe for concurrent use.
func KeyOf(step string, input []byte, environment ...string) Key {
	h := sha256.New()
	writeNumber(h, len(environment)+3)
	writePart(h, []byte(keyScheme))
	writePart(h, []byte(step))
	writePart(h, input)
	for _, e := range environment {
		writePart(h, []byte(e))
	}
	return Key(hex.EncodeToString(h.Sum(nil)))
}

// ParseKey checks that s is a key as KeyOf writes it.
func ParseKey(s string) (Key, error) {
	if len(s) != hex.EncodedLen(sha256.Size) {
		return "", fmt.Errorf("store: key %q has %d characters, want %d hex digits", s, len(s), hex.EncodedLen(sha256.Size))
	}
	for _, c := range []byte(s) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return "", fmt.Errorf("store: key %q has the character %q, want lower-case hex digits", s, c)
		}
	}
	return Key(s), nil
}

// writePart adds a length and a part to h. A hash never returns an error.
func writePart(h hash.Hash, part []byte) {
	writeNumber(h, len(part))
	h.Write(part)
}

func writeNumber(h hash.Hash, n int) {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], uint64(n))
	h.Write(buf[:])
}
