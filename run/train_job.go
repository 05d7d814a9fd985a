package run

import (
	"context"
	"encoding/json"
	"fmt"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/record"
	"mapo/run/job"
	"mapo/train"
)

// maxPoints bounds a training's record.
const maxPoints = 300

// hardest is how many of the adversary's instances a training leaves to its judge.
const hardest = 64

// Trained is what a training leaves.
type Trained struct {
	File        []byte        // a policy file without levels
	Curve       []record.Step // its record, thinned by iteration
	Done, Iters int           // Done < Iters where it was stopped by the clock
	Hardest     [][]float64   `json:",omitempty"` // the adversary's worst instances at the end: starts for the judge
}

// checkpoint is a training between two steps: its run, and what the job has
// noted of it.
type checkpoint struct {
	Snapshot    []byte
	Curve       []record.Step
	Done, Iters int
	Took        job.Took
}

// trainJob runs Algorithm 2 for one policy, with checkpoints.
func trainJob(ctx context.Context, w *work) ([]byte, error) {
	var in TrainInput
	g, err := w.input(ctx, &in, &in.Header)
	if err != nil {
		return nil, err
	}
	t := &training{work: w, in: in, task: train.Task{
		P: g.p, C: g.c, Loss: g.loss, R: in.R, B: in.B, Finite: g.finite,
		Config: in.Config, Key: g.key.Name("train").Name(in.For),
	}, decision: g.decide, stop: g.stop}
	if t.task.Decider, err = g.decider(); err != nil {
		return nil, err
	}
	if t.task.Stopper, err = stopping.New(g.p, g.stop); err != nil {
		return nil, err
	}
	if in.Bayes {
		t.task.Prior, t.task.Finite = game.Noiseless(g.p), nil
	}
	if in.Weight > 0 {
		t.task.Weight = in.Weight
		if t.task.Average, err = w.prior(ctx, g.p, in.Average); err != nil {
			return nil, err
		}
	}
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	for stopped := false; !stopped; {
		if stopped, err = t.stretch(ctx); err != nil {
			return nil, fmt.Errorf("train %s: %w", in.For, err)
		}
	}
	file, err := nn.Encode(t.run.Policy(), nn.Contract{
		Name: in.For, Problem: g.p, Loss: g.loss.String(), Decision: t.decision, Stopping: t.stop,
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(Trained{file, t.at.Curve, t.at.Done, t.at.Iters, t.run.Hardest(hardest)})
}

// training is a train job under way.
type training struct {
	*work
	in   TrainInput
	task train.Task
	run  *train.Run

	guard *guard // of the process's own adversary; nil: the algorithm's plays

	decision string     // the game's, for the policy file
	stop     string     // the same
	at       checkpoint // but for Snapshot and job.Took, kept up to date
}

// begin goes on from the last sound checkpoint, or starts anew.
func (t *training) begin(ctx context.Context) error {
	t.task.Workers = t.Workers()
	resumed, err := t.LastCheckpoint(ctx, t.read)
	if err != nil {
		return err
	}
	if resumed {
		t.Earlier = t.at.Took
		t.Emit(job.Event{Kind: job.Resumed, Train: t.reached(), Seconds: t.Earlier.Seconds()})
		return nil
	}
	t.at = checkpoint{}
	warm, err := t.warm(ctx)
	if err != nil {
		return err
	}
	if err := t.oppose(); err != nil {
		return err
	}
	t.run, err = train.New(t.task, warm)
	return err
}

// reached returns how far it is, for events.
func (t *training) reached() record.Step { return record.Step{Iter: t.at.Done, Iters: t.at.Iters} }

// read goes on from a checkpoint.
func (t *training) read(data []byte) error {
	if err := json.Unmarshal(data, &t.at); err != nil {
		return err
	}
	return t.resume()
}

// resume goes on from the snapshot.
func (t *training) resume() (err error) {
	if err := t.oppose(); err != nil {
		return err
	}
	t.run, err = train.Resume(t.task, t.at.Snapshot)
	return err
}

// warm returns the network to start from, nil for a fresh one.
func (t *training) warm(ctx context.Context) (nn.Net, error) {
	if t.in.Warm == "" {
		return nil, nil
	}
	var from Trained
	if err := t.Load(ctx, t.in.Warm, &from); err != nil {
		return nil, err
	}
	net, _, err := nn.Decode(from.File)
	return net, err
}

// stretch trains until the end, ctx's end or the clock's, and returns true; or to a checkpoint
// after which more or fewer workers are free, and returns false.
func (t *training) stretch(ctx context.Context) (stopped bool, err error) {
	for step, err := range train.Descend(ctx, t.run) {
		if err != nil {
			if ctx.Err() == nil {
				return false, err
			}
			// The iteration under way is discarded: what was done before is kept.
			return false, t.Stopped(ctx, t.save)
		}
		if t.guard != nil && t.guard.fault != nil {
			return false, t.guard.fault
		}
		t.note(step)
		now := t.Spent()
		if t.in.Seconds > 0 && now >= t.in.Seconds {
			return true, nil
		}
		if !t.Due() {
			continue
		}
		if err := t.save(ctx); err != nil {
			if ctx.Err() != nil { // the store refuses what comes with a context that has ended
				err = t.Stopped(ctx, t.save)
			}
			return false, err
		}
		if w := t.Workers(); w != t.task.Workers {
			t.task.Workers = w
			return false, t.resume()
		}
	}
	return true, nil
}

// note tells of a step and records it if it is one of the record's.
func (t *training) note(s record.Step) {
	t.at.Done, t.at.Iters = s.Iter, s.Iters
	t.Emit(job.Event{Kind: job.Progress, Train: s, Seconds: t.Spent()})
	every := (s.Iters + maxPoints - 1) / maxPoints
	if s.Iter%every == 0 || s.Iter == s.Iters {
		t.at.Curve = append(t.at.Curve, s)
		t.Emit(job.Event{Kind: job.Sampled, Train: s, Seconds: t.Spent()})
	}
}

func (t *training) save(ctx context.Context) error {
	if t.at.Done == 0 {
		return nil
	}
	var err error
	if t.at.Snapshot, err = t.run.Snapshot(); err != nil {
		return err
	}
	t.at.Took = t.Took()
	return t.SaveCheckpoint(ctx, t.at.Done, &t.at, t.reached())
}

// policy returns the one that r names, in g's game.
func (w *work) policy(ctx context.Context, g *setting, r Ref) (game.Policy, error) {
	p := g.p
	if r.Rival != "" {
		policy, err := rival.Parse(p, g.loss, r.Rival)
		if err != nil {
			return nil, err
		}
		return g.ending(policy)
	}
	file, err := w.policyFile(ctx, r)
	if err != nil {
		return nil, err
	}
	net, _, err := nn.Decode(file)
	if err != nil {
		return nil, err
	}
	policy := nn.Policy(p, net)
	if r.Argmax {
		policy = Sharp(p, policy)
	}
	if policy, err = decision.With(p, g.loss, policy, g.decide); err != nil {
		return nil, err
	}
	return g.ending(policy)
}

// policyFile returns what a training left.
func (w *work) policyFile(ctx context.Context, r Ref) ([]byte, error) {
	var t Trained
	err := w.Load(ctx, r.Trained, &t)
	return t.File, err
}

// Sharp returns the policy that always asks policy's most likely query, the first of
// several.
func Sharp(p *game.Problem, policy game.Policy) game.Policy { return sharp{policy, p.Queries()} }

type sharp struct {
	game.Policy
	d int
}

func (s sharp) Probs(dst []float32, states game.States) {
	s.Policy.Probs(dst, states)
	for row := range len(dst) / s.d {
		probs := dst[row*s.d : (row+1)*s.d]
		best := 0
		for i, v := range probs {
			if v > probs[best] {
				best = i
			}
		}
		clear(probs)
		probs[best] = 1
	}
}
