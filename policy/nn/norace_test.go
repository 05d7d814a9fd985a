//go:build !race

package nn

// race: the detector is on, and makes sync.Pool forget things on purpose.
const race = false
