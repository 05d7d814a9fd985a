package table

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
)

// free returns how many bytes the process may still take, by the kernel's estimate
// and the limits set on it; 0 where neither can be read.
func free() int64 {
	least := int64(math.MaxInt64)
	if kB := field("/proc/meminfo", "MemAvailable:"); kB > 0 {
		least = kB << 10
	}
	if free := cgroup("/sys/fs/cgroup"); free > 0 {
		least = min(least, free)
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

// cgroup returns how many bytes the cgroup of that folder may still take, 0 where it has no
// limit. Its file cache counts as free: the kernel takes it back before it refuses any.
func cgroup(folder string) int64 {
	most, stat := field(folder+"/memory.max", ""), folder+"/memory.stat"
	if most <= 0 {
		return 0
	}
	cache := field(stat, "inactive_file ") + field(stat, "active_file ")
	return min(most, max(1, most-field(folder+"/memory.current", "")+cache))
}

// field returns the number behind name at the start of a line of a file, 0 where there is none.
func field(path, name string) int64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(append([]byte("\n"), data...), []byte("\n"+name))
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
