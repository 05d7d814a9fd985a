//go:build !amd64

package num

// fast lists the fast kernels of this architecture: none yet.
func fast() []kernel { return nil }
