//go:build !linux

package suite

// InMemory changes nothing here.
func InMemory(m Runner) Runner { return m }
