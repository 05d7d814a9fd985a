package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"mapo/store"
)

// Task names a job whose input is kept in a store: all that whoever carries it out
// elsewhere has to be told.
type Task struct {
	Step string    // such as judge/2
	Key  store.Key // of its input and its result
	For  string    // the policy's name, to be shown
}

// Classes of jobs, by what they need of a machine: trainings take the most time and
// all the cores they get, judging is many shorter jobs.
const (
	ClassTrain = "train"
	ClassJudge = "judge"
)

// Class is the task's.
func (t Task) Class() string {
	if t.Step == stepTrain {
		return ClassTrain
	}
	return ClassJudge
}

// errPending is the error of a job that has yet to be carried out.
var errPending = errors.New("flow: the job has yet to be carried out")

// Next is what can be done now of a plan whose results are in s: the jobs with all
// they need finished and no result yet, their inputs kept in s, the priors too. None
// where the run is finished. It carries nothing out; its cost is to read the results
// there are.
func Next(ctx context.Context, plan Plan, s store.Store) ([]Task, error) {
	if err := keepPriors(ctx, s, plan); err != nil {
		return nil, err
	}
	p := &pending{store: s}
	if _, _, err := p.through(ctx, plan); err != nil && !errors.Is(err, errPending) {
		return nil, err
	}
	slices.SortFunc(p.tasks, func(a, b Task) int {
		return cmp.Or(cmp.Compare(rank(a.Step), rank(b.Step)), cmp.Compare(a.For, b.For), cmp.Compare(a.Key, b.Key))
	})
	return slices.Compact(p.tasks), nil
}

// Assemble is a finished run, every job of which was carried out elsewhere.
func Assemble(ctx context.Context, plan Plan, s store.Store) (*Flow, *Result, error) {
	p := &pending{store: s}
	f, res, err := p.through(ctx, plan)
	if errors.Is(err, errPending) {
		return nil, nil, fmt.Errorf("%d results of the run are not in the store, or not sound: start it again, and only they are made again", len(p.tasks))
	}
	return f, res, err
}

// through goes through a plan as far as there are results.
func (p *pending) through(ctx context.Context, plan Plan) (*Flow, *Result, error) {
	f, err := New(ctx, plan, p.store, p)
	if err != nil {
		return nil, nil, err
	}
	res, err := f.Run(ctx)
	return f, res, err
}

// pending is the executor that finds results and notes which are missing.
type pending struct {
	store store.Store
	mu    sync.Mutex
	tasks []Task
}

// Submit implements Executor.
func (p *pending) Submit(ctx context.Context, step string, key store.Key, input []byte) Future {
	data, err := p.store.Get(ctx, artifact(key))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt) {
		err = p.note(ctx, step, key, input)
	}
	return found{data, err}
}

func (p *pending) note(ctx context.Context, step string, key store.Key, input []byte) error {
	var head Header
	if err := json.Unmarshal(input, &head); err != nil {
		return fmt.Errorf("flow: input of %s: %w", step, err)
	}
	if err := keepInput(ctx, p.store, step, key, input); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, Task{step, key, head.For})
	return errPending
}

// found is a future that has come.
type found struct {
	data []byte
	err  error
}

func (f found) Get(context.Context) ([]byte, error) { return f.data, f.err }

// keptInput is an input in the store: all a job is made of.
type keptInput struct {
	Step  string
	Input json.RawMessage
}

func inputName(key store.Key) string { return "inputs/" + string(key) }

func keepInput(ctx context.Context, s store.Store, step string, key store.Key, input []byte) error {
	if _, err := s.Get(ctx, inputName(key)); err == nil {
		return nil
	}
	data, err := json.Marshal(keptInput{step, input})
	if err != nil {
		return err
	}
	return s.Put(ctx, inputName(key), data)
}

// Do carries out a task whose input is kept in l's store. Where its result is there,
// it does nothing. It tells events of the task, l.Events where that is nil. A task made under another kernel or
// architecture, whose key this process cannot come to, is refused.
func (l *Local) Do(ctx context.Context, t Task, events func(Event)) error {
	if events == nil {
		events = l.Events
	}
	data, err := l.Store.Get(ctx, inputName(t.Key))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no job %s %s in the store: is it the store of the run? mapo step --list SPEC names the jobs there are", t.Step, t.Key)
	}
	if err != nil {
		return err
	}
	var k keptInput
	if err := json.Unmarshal(data, &k); err != nil {
		return fmt.Errorf("flow: read %s: %w", inputName(t.Key), err)
	}
	name, _, versioned := strings.Cut(k.Step, "/")
	if t.Step != k.Step && (t.Step != name || !versioned) {
		return fmt.Errorf("the job %s is a %s, not a %s", t.Key, k.Step, t.Step)
	}
	if steps[k.Step] == nil {
		return fmt.Errorf("the job %s is a %s, which this version of mapo cannot do: use the version that began the run", t.Key, k.Step)
	}
	if store.KeyOf(k.Step, k.Input, Environment()...) != t.Key {
		return fmt.Errorf("the job %s was made for another kernel or architecture than %s: its result would not be the same bytes; choose the same kernel (MAPO_KERNEL) and a like machine", t.Key, strings.Join(Environment(), ", "))
	}
	_, err = l.run(ctx, k.Step, t.Key, k.Input, events)
	return err
}
