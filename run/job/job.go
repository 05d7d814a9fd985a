package job

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mapo/internal/num"
	"mapo/run/store"
)

// Header begins every input: the policy a job is for, which also names its
// random streams, and the game.
type Header struct {
	For     string
	Setting store.Key
}

// Step is what a job can be: its name with its version, such as judge/7, and what carries it out. The version is raised
// when the step gives other bytes for the same input.
type Step struct {
	Name string
	Do   func(ctx context.Context, j *Job) ([]byte, error)
}

// Steps are those a process can carry out, in the order in which waiting jobs are served.
type Steps []Step

// rank returns a step's place in the queue, -1 for an unknown one.
func (s Steps) rank(name string) int {
	return slices.IndexFunc(s, func(one Step) bool { return one.Name == name })
}

// Artifact names a job's result in the store, timing its time. The time
// stands beside the result, which is a function of the input alone.
func Artifact(key store.Key) string { return "artifacts/" + string(key) }
func timing(key store.Key) string   { return "timings/" + string(key) }

// Do submits a step to exec and reads its result, whose time is in s.
func Do[O any](ctx context.Context, exec Executor, s store.Store, step string, in any) (store.Key, *O, Took, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return "", nil, nil, fmt.Errorf("job: input of %s: %w", step, err)
	}
	key := store.KeyOf(step, input, num.Environment()...)
	data, err := exec.Submit(ctx, step, key, input)(ctx)
	if err != nil {
		return key, nil, nil, err
	}
	out := new(O)
	if err := json.Unmarshal(data, out); err != nil {
		return key, nil, nil, fmt.Errorf("job: result of %s: %w", step, err)
	}
	return key, out, took(ctx, s, key), nil
}

// took returns the time of a finished job, none where it was not written down.
func took(ctx context.Context, s store.Store, key store.Key) (t Took) {
	if data, err := s.Get(ctx, timing(key)); err == nil {
		_ = json.Unmarshal(data, &t) // a lost time is not a reason to lose a run
	}
	return t
}

// Job is one job under way.
type Job struct {
	Step  string
	Key   store.Key
	Input []byte
	Store store.Store

	Workers func() int  // how many the job may use now; no result depends on it
	Emit    func(Event) // with Step and For filled in

	Every   float64 // seconds between checkpoints
	Began   time.Time
	Earlier Took    // of processes before, up to the checkpoint from which this one resumes
	saved   float64 // Spent() at the last checkpoint of this process
}

// Took returns the time the job has taken, interruptions aside.
func (j *Job) Took() Took {
	return append(slices.Clip(j.Earlier), Span{j.Began, time.Since(j.Began).Seconds()})
}

// Spent returns the same in seconds.
func (j *Job) Spent() float64 { return j.Took().Seconds() }

// Warn tells of a doubt.
func (j *Job) Warn(text string) { j.Emit(Event{Kind: Warned, Text: text}) }

// Decode reads the job's input into in, which has a field for everything in it.
func (j *Job) Decode(in any) error {
	d := json.NewDecoder(bytes.NewReader(j.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(in); err != nil {
		return fmt.Errorf("job: input of %s: %w", j.Step, err)
	}
	return nil
}

// Load reads the result of another job, or what was shared.
func (j *Job) Load(ctx context.Context, key store.Key, v any) error {
	data, err := j.Store.Get(ctx, Artifact(key))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("job: read %s: %w", Artifact(key), err)
	}
	return nil
}
