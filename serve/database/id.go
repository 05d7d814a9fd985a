package database

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const idLength = 26

// NewID returns an id that cannot be guessed: a client without admin rights needs nothing else to
// see a session.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return idText.EncodeToString(b[:])
}

// IsID reports whether a text can be an id. Others are not looked for: a database may refuse them.
func IsID(text string) bool {
	return len(text) == idLength && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
