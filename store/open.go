package store

import (
	"context"
	"fmt"
	"strings"
)

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
