package external_test

import (
	"strings"
	"testing"

	"mapo/internal/check"
	"mapo/policy/external"
	"mapo/rng"
)

func TestPoolsRefused(t *testing.T) {
	p := check.Pool(8, 4, 3, 3, false, rng.New(1).Rand())
	if _, err := external.Start(t.Context(), p, "cat", external.Options{}); err == nil || !strings.Contains(err.Error(), "items of a pool") {
		t.Errorf("a program is asked about a pool: %v", err)
	}
}
