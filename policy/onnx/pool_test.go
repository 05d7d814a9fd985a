package onnx_test

import (
	"strings"
	"testing"

	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/rng"
)

func TestPoolsAreRefused(t *testing.T) {
	p := check.Pool(8, 4, 3, 3, false, rng.New(1).Rand())
	if _, err := onnx.Model(nn.NewGated(p), &nn.Contract{Problem: p, Arch: "gated 9"}); err == nil || !strings.Contains(err.Error(), "pool of items have no form in ONNX yet") {
		t.Errorf("a policy over a pool is exported: %v", err)
	}
}
