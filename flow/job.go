package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"mapo"
	"mapo/internal/num"
	"mapo/record"
	"mapo/rng"
	"mapo/search"
	"mapo/store"
	"mapo/train"
)

// Steps, each with its version: raise it when the step gives other bytes for the
// same input. Their order is that in which waiting jobs are served.
const (
	stepTrain   = "train/11"
	stepJudge   = "judge/7"
	stepReplay  = "replay/6"
	stepAverage = "average/3"
	stepCertify = "certify/1"
	stepExact   = "exact/1"

	stepYardstick = "yardstick/6"
)

// steps is what a worker can do.
var steps = map[string]func(ctx context.Context, j *Job) ([]byte, error){
	stepTrain: trainJob, stepJudge: judgeJob, stepReplay: judgeJob, stepAverage: averageJob,
	stepCertify: certifyJob, stepExact: exactJob, stepYardstick: judgeJob,
}

// Setting is the game that all jobs of a run play. It is kept in the store once;
// inputs name its key.
type Setting struct {
	Problem *mapo.Problem
	Loss    string
	Seed    uint64
	Finite  [][]float64 `json:",omitempty"`
}

// Header begins every input: the policy a job is for, which also names its
// random streams, and the game.
type Header struct {
	For     string
	Setting store.Key
}

func (f *Flow) header(name string) Header { return Header{name, f.setting} }

// Ref names a policy in an input: a rival by its name, or the network that a
// training job left.
type Ref struct {
	Rival   string    `json:",omitempty"`
	Trained store.Key `json:",omitempty"`
	Argmax  bool      `json:",omitempty"` // always ask the most likely query
	Mark    int       `json:",omitempty"` // as it was after so many iterations, where the training set a mark
	Start   bool      `json:",omitempty"` // as it was before the first, where the training sets marks
}

// TrainInput is what a training depends on.
type TrainInput struct {
	Header
	R, B   []float64 `json:",omitempty"`
	Bayes  bool      `json:",omitempty"` // train on the average over 𝒫̃, without an adversary (App. H)
	Warm   store.Key `json:",omitempty"` // of the training whose weights to start from
	Config train.Config

	Average PriorRef `json:",omitzero"`  // of the objective's average
	Weight  float64  `json:",omitempty"` // and its weight

	Marks bool `json:",omitempty"` // whether to set marks for the yardstick

	Stop float64 `json:",omitempty"` // seconds; the result then depends on the clock
}

// JudgeInput is what a worst-case search depends on, and a replay's.
type JudgeInput struct {
	Header
	Policy  Ref
	Levels  []float64
	Effort  search.Effort
	Bank    [][]float64    `json:",omitempty"`
	Earlier []record.Worst `json:",omitempty"`
}

// AverageInput is what averages depend on.
type AverageInput struct {
	Header
	Policy Ref
	Priors []PriorRef
	Games  int
}

// Environment is what, besides its input, a result's last bits depend on.
func Environment() []string {
	env := []string{"kernel=" + num.Kernel(), "precision=f32", "arch=" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				env = append(env, "goamd64="+s.Value) // v3 fuses x*y+z
			}
		}
	}
	return env
}

// artifact and timing name a job's result and its time in the store. The time
// stands beside the result, which is a function of the input alone.
func artifact(key store.Key) string { return "artifacts/" + string(key) }
func timing(key store.Key) string   { return "timings/" + string(key) }

// do submits a step and reads its result.
func do[O any](ctx context.Context, f *Flow, step string, in any) (store.Key, *O, Took, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return "", nil, nil, fmt.Errorf("flow: input of %s: %w", step, err)
	}
	key := store.KeyOf(step, input, Environment()...)
	data, err := f.exec.Submit(ctx, step, key, input).Get(ctx)
	if err != nil {
		return key, nil, nil, err
	}
	out := new(O)
	if err := json.Unmarshal(data, out); err != nil {
		return key, nil, nil, fmt.Errorf("flow: result of %s: %w", step, err)
	}
	return key, out, took(ctx, f.store, key), nil
}

// took is the time of a finished job, none where nobody wrote it down.
func took(ctx context.Context, s store.Store, key store.Key) (t Took) {
	if data, err := s.Get(ctx, timing(key)); err == nil {
		_ = json.Unmarshal(data, &t) // a lost time is no reason to lose a run
	}
	return t
}

// Job is one job under way.
type Job struct {
	Step  string
	Key   store.Key
	Input []byte
	Store store.Store

	Priors  []mapo.Prior
	Workers func() int  // how many the job may use now; no result depends on it
	Emit    func(Event) // with Step and For filled in

	Every   float64 // seconds between checkpoints
	began   time.Time
	earlier Took    // of processes before, up to the checkpoint this one goes on from
	saved   float64 // spent() at the last checkpoint of this process
}

// took is the time the job has taken, interruptions aside.
func (j *Job) took() Took {
	return append(slices.Clip(j.earlier), Span{j.began, time.Since(j.began).Seconds()})
}

// spent is the same in seconds.
func (j *Job) spent() float64 { return j.took().Seconds() }

func (j *Job) warn(text string) { j.Emit(Event{Kind: Warned, Text: text}) }

// input decodes j's input into in and loads the game it names.
func (j *Job) input(ctx context.Context, in any, head *Header) (*game, error) {
	d := json.NewDecoder(bytes.NewReader(j.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return nil, fmt.Errorf("flow: input of %s: %w", j.Step, err)
	}
	var s Setting
	if err := j.load(ctx, head.Setting, &s); err != nil {
		return nil, err
	}
	loss, err := mapo.ParseLoss(s.Loss)
	if err != nil {
		return nil, err
	}
	return &game{s.Problem, mapo.RhoTilde(s.Problem), loss, s.Finite, rng.New(s.Seed)}, nil
}

// load reads the result of another job, or what was shared.
func (j *Job) load(ctx context.Context, key store.Key, v any) error {
	data, err := j.Store.Get(ctx, artifact(key))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("flow: read %s: %w", artifact(key), err)
	}
	return nil
}

// game is a Setting, decoded.
type game struct {
	p      *mapo.Problem
	c      mapo.Complexity
	loss   mapo.Loss
	finite [][]float64
	key    rng.Key // of the run; a step's streams are key.Name(step).Name(policy)
}
