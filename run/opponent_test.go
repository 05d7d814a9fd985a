package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mapo/adversary"
	"mapo/game"
	"mapo/rng"
	"mapo/run/job"
)

// drifting is an adversary of a user's with a memory: what it draws depends on how often it has drawn.
type drifting struct {
	draws int
	wrong int // the draw from which on a mean is 2; 0: none
}

func (*drifting) Prepare(context.Context, game.Policy, int) (int64, error) { return 0, nil }
func (*drifting) Observe(*adversary.Batch, *adversary.Games) (seen adversary.Diagnostics) {
	return seen
}
func (d *drifting) Snapshot() ([]byte, error) { return json.Marshal(d.draws) }

func (d *drifting) Enter(_ adversary.Phase, snapshot []byte) error {
	if snapshot == nil {
		return nil
	}
	if d.draws != 0 {
		return errors.New("restored after it was used")
	}
	return json.Unmarshal(snapshot, &d.draws)
}

func (d *drifting) Draw(b *adversary.Batch, key rng.Key) {
	d.draws++
	r := key.At(d.draws).Rand()
	for i := range b.Theta {
		b.Theta[i] = (2*r.Float64() - 1) * (1 - game.Edge) / float64(d.draws)
		if d.wrong > 0 && d.draws >= d.wrong {
			b.Theta[i] = 2
		}
	}
}

// TestOpponent: a training against an adversary of the caller's that was interrupted leaves the bytes of one that was not. An
// instance that answers cannot have ends it.
func TestOpponent(t *testing.T) {
	plan := tiny(t, 8)
	var settings []adversary.Setting
	learn := func(stop, wrong int) ([]byte, error) {
		s := folder(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		opponent := func(s adversary.Setting) adversary.Adversary {
			settings = append(settings, s)
			return &drifting{wrong: wrong}
		}
		exec := &job.Local{Store: s, Steps: StepsAgainst(opponent), Cores: 1, Every: time.Nanosecond, Events: func(e job.Event) {
			if e.Kind == job.Progress && e.Train.Iter == stop {
				cancel(errStop)
			}
		}}
		f, err := New(t.Context(), plan, s, exec)
		if err != nil {
			return nil, err
		}
		o := objective{name: PiName(1), r: plan.Levels}
		p, err := f.learn(ctx, o)
		if stop > 0 {
			if !errors.Is(err, errStop) {
				t.Fatalf("stopped: %v", err)
			}
			p, err = f.learn(t.Context(), o)
		}
		if err != nil {
			return nil, err
		}
		return p.Net.File, nil
	}
	whole, err := learn(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := learn(3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(settings) != 3 || settings[0].P == nil || settings[0].C == nil || len(settings[0].R) != 1 || settings[0].R[0] != 8 || settings[0].Key != settings[2].Key {
		t.Errorf("adversaries were made for %+v", settings)
	}
	if !bytes.Equal(whole, stopped) {
		t.Error("a training that was interrupted is another")
	}
	if _, err := learn(0, 3); err == nil || !strings.Contains(err.Error(), "an instance that answers cannot have: its mean at query 0") {
		t.Errorf("with a mean of 2: %v", err)
	}
}

// knowing is an adversary of a user's that knows its worst instance.
type knowing struct{ drifting }

func (*knowing) Hardest(int) [][]float64 { return [][]float64{{.5}} }

// What a user's adversary knows of its instances comes through to the judge.
func TestOpponentKnows(t *testing.T) {
	if got := adversary.Hardest(&guard{Adversary: new(knowing)}, 3); len(got) != 1 || got[0][0] != .5 {
		t.Errorf("%v is left of what the adversary knows", got)
	}
	if got := adversary.Hardest(&guard{Adversary: new(drifting)}, 3); got != nil {
		t.Errorf("%v is left of an adversary that knows nothing", got)
	}
}
