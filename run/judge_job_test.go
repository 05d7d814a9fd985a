package run

import (
	"encoding/json"
	"slices"
	"testing"

	"mapo/run/job"
	"mapo/run/store"
)

// TestJudgeBank: a judge of a trained policy starts from what its training found hardest besides what it is given, and one of a
// rival from what it is given alone.
func TestJudgeBank(t *testing.T) {
	s := folder(t)
	data, err := json.Marshal(Trained{Hardest: [][]float64{{1, 0, -1}, {0.5, 0.5, 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	key := store.KeyOf("train", data)
	if err := s.Put(t.Context(), job.Artifact(key), data); err != nil {
		t.Fatal(err)
	}
	w := &work{Job: &job.Job{Store: s}}
	for _, c := range []struct {
		ref  Ref
		want [][]float64
	}{
		{Ref{Trained: key}, [][]float64{{0, 1, 0}, {1, 0, -1}, {0.5, 0.5, 0.5}}},
		{Ref{Rival: "uniform"}, [][]float64{{0, 1, 0}}},
	} {
		bank, err := w.bank(t.Context(), JudgeInput{Policy: c.ref, Bank: [][]float64{{0, 1, 0}}})
		if err != nil || !slices.EqualFunc(bank.Thetas, c.want, slices.Equal[[]float64]) {
			t.Errorf("%+v: the bank has %v (%v), want %v", c.ref, bank.Thetas, err, c.want)
		}
	}
}
