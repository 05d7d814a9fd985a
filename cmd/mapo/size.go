package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// byteSize is a number of bytes as a flag gives it: plain, or in KiB or MiB.
type byteSize int64

// String implements pflag.Value.
func (s *byteSize) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type implements pflag.Value.
func (s *byteSize) Type() string { return "bytes" }

// Set implements pflag.Value.
func (s *byteSize) Set(text string) error {
	unit := int64(1)
	for suffix, n := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = number, n
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return errors.New("not a number of bytes")
	}
	*s = byteSize(n * unit)
	return nil
}
