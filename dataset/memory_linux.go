package dataset

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
)

// memory is how many bytes the process may still take, by the kernel's estimate
// and the limits set on it; 0 where neither can be read.
func memory() int64 {
	least := int64(math.MaxInt64)
	if kB := field("/proc/meminfo", "MemAvailable:"); kB > 0 {
		least = kB << 10
	}
	if most := field("/sys/fs/cgroup/memory.max", ""); most > 0 {
		least = min(least, max(1, most-field("/sys/fs/cgroup/memory.current", "")))
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		least = min(least, max(1, int64(limit.Cur)-field("/proc/self/status", "VmSize:")<<10))
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// field is the number behind name in a file, 0 where there is none.
func field(path, name string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(data, []byte(name))
	words := bytes.Fields(rest)
	if !ok || len(words) == 0 {
		return 0
	}
	v, err := strconv.ParseInt(string(words[0]), 10, 64)
	if err != nil {
		return 0
	}
	return v
}
