//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

// keepOwner does nothing where files have other owners than a user and a group.
func keepOwner(*os.File, fs.FileInfo) {}
