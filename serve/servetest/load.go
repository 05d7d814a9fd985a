package servetest

import (
	"syscall"
	"time"
)

// CPUTime returns what the process has used of the processors.
func CPUTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
