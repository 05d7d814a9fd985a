//go:build !unix

package disk

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }
