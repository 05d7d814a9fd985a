package locate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mapo/run/store"
	"mapo/run/store/s3"
)

// ErrNone is wrapped by the error of [Existing] where a folder is not a store.
var ErrNone = errors.New("there is no store")

// Open opens the store at a place: s3://…, see [s3.Open], or a folder.
func Open(ctx context.Context, place string) (store.Store, error) {
	switch scheme, _, ok := strings.Cut(place, "://"); {
	case !ok:
		return store.Folder(place)
	case scheme == "s3":
		return s3.Open(ctx, place)
	}
	return nil, fmt.Errorf("store: %s: neither a folder nor s3://BUCKET/PREFIX", place)
}

// Existing does as Open for a store that was made before: it makes no folder where there is none, nor puts anything
// into one that is not a store. A bucket's prefix has no such mark; what its store lacks, reading says.
func Existing(ctx context.Context, place string) (store.Store, error) {
	if !strings.Contains(place, "://") {
		if !store.HasFolder(place) {
			return nil, fmt.Errorf("%w at %s", ErrNone, place)
		}
	}
	return Open(ctx, place)
}
