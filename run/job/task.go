package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mapo/internal/num"
	"mapo/run/store"
)

// Task names a job whose input is kept in a store: all that a process needs to carry it out elsewhere.
type Task struct {
	Step string    // such as judge/2
	Key  store.Key // of its input and its result
	For  string    // the policy's name, to be shown
}

// HasResult reports whether there is a result in s of the job whose key begins with prefix. It does not read it.
func HasResult(ctx context.Context, s store.Store, prefix string) (bool, error) {
	names, err := s.List(ctx, Artifact(store.Key(prefix)))
	return len(names) > 0, err
}

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
		return fmt.Errorf("job: read %s: %w", inputName(t.Key), err)
	}
	name, _, versioned := strings.Cut(k.Step, "/")
	if t.Step != k.Step && (t.Step != name || !versioned) {
		return fmt.Errorf("the job %s is a %s, not a %s", t.Key, k.Step, t.Step)
	}
	if l.Steps.rank(k.Step) < 0 {
		return fmt.Errorf("the job %s is a %s, which this version of mapo cannot do: use the version that began the run", t.Key, k.Step)
	}
	if store.KeyOf(k.Step, k.Input, num.Environment()...) != t.Key {
		return fmt.Errorf("the job %s was made for another kernel or architecture than %s: its result would not be the same bytes; choose the same kernel (MAPO_KERNEL) and a like machine", t.Key, strings.Join(num.Environment(), ", "))
	}
	_, err = l.run(ctx, k.Step, t.Key, k.Input, events)
	return err
}
