//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group of the file that it replaces, as far as the process may.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
		_ = f.Chown(-1, int(was.Gid)) // the group alone, which a member may give; else it stays the process's
	}
}
