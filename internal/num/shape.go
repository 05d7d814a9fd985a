package num

import "strconv"

// shape panics on negative sizes.
func shape(n, in, out int) {
	if n < 0 || in < 0 || out < 0 {
		panic("num: negative size in [" + strconv.Itoa(n) + ", " + strconv.Itoa(in) + ", " + strconv.Itoa(out) + "]")
	}
}

// size panics unless a slice has exactly the entries its shape asks for: a longer one is as sure a sign
// of a mix-up as a shorter one.
func size(name string, got, want int) {
	if got != want {
		panic("num: " + name + " has " + strconv.Itoa(got) + " entries, want " + strconv.Itoa(want))
	}
}
