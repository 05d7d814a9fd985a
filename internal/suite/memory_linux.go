package suite

import (
	"os"
	"syscall"
)

const (
	memory = "/dev/shm"
	room   = 4 << 30 // bytes
	noExec = 8       // ST_NOEXEC of statfs(2)
)

// InMemory puts the temporary folders of the process, and of those it starts, on the machine's file system in memory, where
// an fsync does not wait for a disk. It changes nothing where $TMPDIR is set, where that file system has less than 4 GiB
// free, or where programs cannot run on it. TestMain calls it.
func InMemory() {
	if _, set := os.LookupEnv("TMPDIR"); set || !roomy(memory) {
		return
	}
	if err := os.Setenv("TMPDIR", memory); err != nil {
		panic(err)
	}
}

// roomy reports whether a folder is on a file system in memory that has room, and runs programs.
func roomy(dir string) bool {
	const tmpfs = 0x01021994
	var fs syscall.Statfs_t
	err := syscall.Statfs(dir, &fs)
	return err == nil && fs.Type == tmpfs && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= room
}
