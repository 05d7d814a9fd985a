package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrCorrupt is wrapped by the error of a Get that found something other than what a Put wrote:
// cut short, altered, or moved from another name.
var ErrCorrupt = errors.New("corrupt")

// ErrName is wrapped by the error for a name that no store accepts; see CheckName.
var ErrName = errors.New("not a name a store accepts")

// Store keeps objects, each a name and its bytes. All methods may be called concurrently, by several
// processes on the same place too. Package storetest holds the tests every implementation passes.
type Store interface {
	// Get returns the bytes last put under name, having checked their checksum. The error wraps
	// fs.ErrNotExist when there is nothing, ErrCorrupt when what is there is not sound.
	Get(ctx context.Context, name string) ([]byte, error)

	// Put makes data the bytes of name, durably: when it returns nil they survive a crash. It is
	// atomic: a reader, or a run after a kill at any moment, sees all of data or what was there
	// before. Putting the same bytes again is fine. Of two different ones put under one name, which
	// content keys do not produce, one is kept whole.
	Put(ctx context.Context, name string, data []byte) error

	// PutNew is Put where nothing sound is under name, and returns what is there then: data, or what
	// another was first to put. Of several at once, by several processes, all get the same.
	PutNew(ctx context.Context, name string, data []byte) ([]byte, error)

	// List returns the names that start with prefix (any string; "" is all), sorted. It does not
	// read the objects: a listed one may be corrupt, or gone by the time it is read.
	List(ctx context.Context, prefix string) ([]string, error)

	// Delete removes name. Removing what is not there is fine: another attempt may have been first.
	Delete(ctx context.Context, name string) error
}

// Names stay portable between file systems and object stores.
const (
	maxName    = 512 // bytes in a name
	maxElement = 200 // bytes between two slashes
)

// CheckName returns an error wrapping ErrName unless name is made of elements joined by slashes,
// each of letters, digits, '-', '_', '+' and '.', and not beginning with '.'.
func CheckName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("store: name of %d bytes, want 1 to %d: %w", len(name), maxName, ErrName)
	}
	for _, element := range strings.Split(name, "/") {
		if element == "" || element[0] == '.' || len(element) > maxElement || strings.ContainsFunc(element, foreign) {
			return fmt.Errorf("store: name %q: the part %q: %w", name, element, ErrName)
		}
	}
	return nil
}

// CanBegin reports whether a name can begin with prefix.
func CanBegin(prefix string) bool {
	return !strings.ContainsFunc(strings.ReplaceAll(prefix, "/", ""), foreign) && !strings.HasPrefix(prefix, "/")
}

// foreign reports whether c may not occur between the slashes of a name.
func foreign(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return false
	}
	return !strings.ContainsRune("-_+.", c)
}
