package spec

import (
	"reflect"
	"slices"
	"testing"
)

// blocks is a configuration with parts of which one is given.
type blocks struct {
	N     int    `yaml:"N"`
	First *first `yaml:"first,omitempty"`
	Other *first `yaml:"other,omitempty"`
}

type first struct {
	Rate float64 `yaml:"rate"`
	Deep bool    `yaml:"deep"`
}

// A block's keys are set on what the preset has there, and come back from the resolved spec. A key that belongs into a block
// is shown there, and so is a block that is named as a value.
func TestTrainBlocks(t *testing.T) {
	parse := func(train string) *Spec {
		t.Helper()
		s, err := Parse("t.yaml", []byte("problem: {thresholds: {d: 3}}\ntrain: "+train+"\n"), Override{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := parse("{N: 3, first: {deep: true}}")
	got := blocks{First: &first{Rate: .5}}
	if err := s.DecodeTrain(&got); err != nil || got.N != 3 || *got.First != (first{.5, true}) || got.Other != nil {
		t.Errorf("%+v, %+v, %v", got, got.First, err)
	}
	if !s.HasTrain("first") || s.HasTrain("other") || s.HasTrain("deep") {
		t.Error("it does not say which blocks it has")
	}
	if err := s.FixTrain(got); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("t.yaml", s.Resolved(), Override{})
	if err != nil {
		t.Fatal(err)
	}
	var full blocks
	if err := again.DecodeTrain(&full); err != nil || !reflect.DeepEqual(full, got) {
		t.Errorf("%v: the resolved spec has %+v, want %+v", err, full.First, got.First)
	}
	if dropped := again.DropTrain([]string{"N", "first.deep"}); !slices.Equal(dropped, []string{"N: 3", "first.deep: true"}) {
		t.Errorf("dropped are %q", dropped)
	}
	for text, want := range map[string]string{
		"{deep: true}":          "t.yaml:2: train.deep is not a key of train: write first: {deep: true}",
		"{kind: other}":         "t.yaml:2: train.kind is not a key of train: write other: {}",
		"{first: {deeep: 1}}":   `t.yaml:2: unknown key "deeep"; did you mean "deep"?`,
		"{first: {rate: fast}}": "t.yaml:2: train.first.rate is fast, want a number",
		"{first: 3}":            "t.yaml:2: train.first is 3, want a map of keys",
	} {
		if err := parse(text).DecodeTrain(new(blocks)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
