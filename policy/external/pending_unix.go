//go:build unix

package external

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// pending reports whether there is something to read from a pipe, or its end.
func pending(pipe io.Reader) (is bool) {
	c, ok := pipe.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // an error leaves is false: the next read tells it
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(list, 0)
		is = err == nil && n > 0
	})
	return is
}
