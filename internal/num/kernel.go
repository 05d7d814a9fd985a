package num

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Variable is the environment variable that forces a kernel: go, avx2 or avx512.
const Variable = "MAPO_KERNEL"

// kernel is one implementation of the package's functions; shapes have been checked.
type kernel struct {
	name          string
	forward       func(dst, x, w, b []float32, n, in, out int, f Activation)
	inputGrad     func(dst, dy, w, act []float32, n, in, out int)
	addWeightGrad func(dw, db, x, dy []float32, n, in, out int)
	// softmax of scale·row for n rows of d numbers, and, unless share is nil, each one's largest entry; false if a row
	// has none.
	softmax   func(dst, src, share []float32, scale float32, n, d, ldd, lds, ldshare int) bool
	opposed   func(dst, v []float32, best []uint16, t *Table)
	countOnes func(dst []float32, rows []int32, t *Table)
	leakyGrad func(h, dh, add []float32, groups, n, d int)
	describe  func(dst []float32, q *Queries, d, ld int)
	largest   func(at []int, top, second, v []float32, n, d int)
	means     func(dst, sum, count []float32)
	groupSums func(dst, a, x []float32, groups, rows, out int)
	// of columns, rows of x being ld floats apart
	deviations func(dst, a, x, y []float32, ld int)
	// a layer whose biases are each group's own
	forwardGroups func(dst, x, w, b []float32, groups, rows, in, out int, f Activation)

	forwardColumns       func(dst, x []float32, ld int, w, b []float32, n, in, out int, f Activation)
	addWeightGradColumns func(dw, db, x []float32, ld int, dy []float32, n, in, out int)

	forwardThrees       func(dst []float32, x *Threes, w, b []float32, out int, f Activation)
	forwardPart         func(dst []float32, x *Threes, part int, w []float32, out int)
	addWeightGradThrees func(dw, db []float32, x *Threes, dy []float32, out int)

	likely  func(w []float64, m []float32, half float64, limit float32) (top float64)
	replies func(mean, doubt []float32, x *Threes, m *Panels)

	burn func(n int) float64
}

// active is the chosen kernel. Where the choice failed it is the plain one, and Check says why.
var active, chosen = choose(os.Getenv(Variable), available())

// available lists the kernels this CPU can run, fastest first; the plain one is always last.
func available() []kernel { return append(fast(), plain) }

// choose picks the kernel with the given name; the fastest for "".
func choose(name string, from []kernel) (kernel, error) {
	if name == "" {
		return from[0], nil
	}
	i := slices.IndexFunc(from, func(k kernel) bool { return k.name == name })
	if i >= 0 {
		return from[i], nil
	}
	names := make([]string, len(from))
	for i, k := range from {
		names[i] = k.name
	}
	why := "there is no such kernel"
	if slices.Contains([]string{"avx2", "avx512"}, name) {
		why = "this CPU does not have it"
	}
	return plain, fmt.Errorf("num: %s=%q: %s; available: %s", Variable, name, why, strings.Join(names, ", "))
}

// Kernel names the kernel in use: "go", "avx2" or "avx512". Results differ by rounding between
// kernels, so whatever names a result names its kernel too.
func Kernel() string { return active.name }

// Environment returns what the last bits of a computation depend on besides its input: kernel, precision and architecture.
func Environment() []string {
	env := []string{"kernel=" + Kernel(), "precision=f32", "arch=" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				env = append(env, "goamd64="+s.Value) // v3 fuses x*y+z
			}
		}
	}
	return env
}

// Available names the kernels that this CPU can run, fastest first.
func Available() []string {
	var names []string
	for _, k := range available() {
		names = append(names, k.name)
	}
	return names
}

// Check reports whether MAPO_KERNEL asked for a kernel that is unknown or that this CPU lacks. Programs
// call it once at the start; without it such a program runs on the plain kernel.
func Check() error { return chosen }

// Burn runs n rounds of independent multiply-adds on registers alone and returns how many operations that
// was, a multiply-add counting as two: timed, the most that the kernel in use can reach on one core.
func Burn(n int) float64 { return active.burn(n) }
