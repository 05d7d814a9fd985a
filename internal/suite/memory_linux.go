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

// InMemory returns m with the temporary folders of the process, and of those it starts, on the machine's file system in
// memory, where an fsync does not wait for a disk. What they leave there is removed in the end. It changes nothing where
// $TMPDIR is set, where that file system has less than 4 GiB free, or where programs cannot run on it. TestMain runs it.
func InMemory(m Runner) Runner {
	if _, set := os.LookupEnv("TMPDIR"); set || !roomy(memory) {
		return m
	}
	return inMemory{m}
}

type inMemory struct{ tests Runner }

// Run runs the tests and returns their exit code.
func (r inMemory) Run() int {
	dir, err := os.MkdirTemp(memory, "mapo-tests-")
	if err == nil {
		err = os.Chmod(dir, 0o711) // PostgreSQL's files are another user's
	}
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return r.tests.Run()
}

// roomy reports whether a folder is on a file system in memory that has room, and runs programs.
func roomy(dir string) bool {
	const tmpfs = 0x01021994
	var fs syscall.Statfs_t
	err := syscall.Statfs(dir, &fs)
	return err == nil && fs.Type == tmpfs && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= room
}
