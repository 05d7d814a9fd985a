package run

import (
	"context"
	"encoding/json"
	"strings"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/game/sim"
	"mapo/judge"
	"mapo/record"
)

// judgeJob returns one worst-case search over the ladder (App. E), or, with earlier
// results, a policy's replay against the worst instances of others, with
// checkpoints. Training and judging share no random stream.
func judgeJob(ctx context.Context, w *work) ([]byte, error) {
	var in JudgeInput
	g, err := w.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	policy, err := w.policy(ctx, g, in.Policy)
	if err != nil {
		return nil, err
	}
	step, _, _ := strings.Cut(w.Step, "/")
	s := &search.Search{
		P: g.p, C: g.c, Loss: g.loss, Policy: policy, Levels: in.Levels, Finite: g.finite,
		Effort: in.Effort, Key: g.key.Name(step).Name(in.For), Workers: w.Workers(),
	}
	run := s.Run
	if in.Earlier != nil {
		run = func(ctx context.Context) ([]record.Worst, error) {
			return search.Replay(ctx, s, in.Bank, in.Earlier)
		}
	} else if s.Bank, err = w.bank(ctx, in); err != nil {
		return nil, err
	}
	worst, err := w.search(ctx, s, run)
	if err != nil {
		return nil, err
	}
	return json.Marshal(worst)
}

// bank returns the instances that a search starts from besides its own: those given, and
// what the policy's own training found hardest.
func (w *work) bank(ctx context.Context, in JudgeInput) (*search.Bank, error) {
	bank := &search.Bank{Thetas: in.Bank}
	if in.Policy.Trained == "" {
		return bank, nil
	}
	var t Trained
	if err := w.Load(ctx, in.Policy.Trained, &t); err != nil {
		return nil, err
	}
	for _, theta := range t.Hardest {
		bank.Put(theta)
	}
	return bank, nil
}

// Averaged is an judge.Average with its loss spelt out.
type Averaged struct {
	Prior, Loss string
	record.Estimate
}

// averageJob plays a policy on every prior. Its streams are the same for every
// policy, so that all meet the same instances.
func averageJob(ctx context.Context, w *work) ([]byte, error) {
	var in AverageInput
	g, err := w.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	policy, err := w.policy(ctx, g, in.Policy)
	if err != nil {
		return nil, err
	}
	var priors []game.Prior
	for _, ref := range in.Priors {
		prior, err := w.prior(ctx, g.p, ref)
		if err != nil {
			return nil, err
		}
		priors = append(priors, prior)
	}
	play := sim.Play{P: g.p, Policy: policy, Workers: w.Workers()}
	avs, err := judge.Averages(ctx, play, priors, in.Games, g.key.Name("average"), judge.AverageLosses(g.p, g.loss)...)
	if err != nil {
		return nil, err
	}
	out := make([]Averaged, len(avs))
	for i, a := range avs {
		out[i] = Averaged{a.Prior, a.Loss.String(), a.Estimate}
	}
	return json.Marshal(out)
}

// averages converts the averages of a job's result back to the judge's.
func averages(as []Averaged) ([]judge.Average, error) {
	out := make([]judge.Average, len(as))
	for i, a := range as {
		loss, err := game.ParseLoss(a.Loss)
		if err != nil {
			return nil, err
		}
		out[i] = judge.Average{Prior: a.Prior, Loss: loss, Estimate: a.Estimate}
	}
	return out, nil
}
