package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNone is wrapped by the error of [Existing] where a folder is not a store.
var ErrNone = errors.New("there is no store")

// Open opens the store at a place: s3://…, see S3, or a folder.
func Open(ctx context.Context, place string) (Store, error) {
	switch scheme, _, ok := strings.Cut(place, "://"); {
	case !ok:
		return Folder(place)
	case scheme == "s3":
		return S3(ctx, place)
	}
	return nil, fmt.Errorf("store: %s: neither a folder nor s3://BUCKET/PREFIX", place)
}

// Existing does as Open for a store that was made before: it makes no folder where there is none, nor puts anything
// into one that is not a store. A bucket's prefix has no such mark; what its store lacks, reading says.
func Existing(ctx context.Context, place string) (Store, error) {
	if !strings.Contains(place, "://") {
		if _, err := os.Stat(filepath.Join(place, tempFolder)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w at %s", ErrNone, place)
		}
	}
	return Open(ctx, place)
}
