package flow

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"mapo"
	"mapo/store"
)

// keptPlan is a plan in the store, its priors by their names.
type keptPlan struct {
	Plan
	PriorNames  []string
	AverageName string `json:",omitempty"`
}

// KeepPlan puts a plan into s for [LoadPlan], with the priors that are data. The key
// is a hash of all there is to the run: the resolved spec, the data and the version.
func KeepPlan(ctx context.Context, s store.Store, plan Plan) (store.Key, error) {
	if err := plan.Check(); err != nil {
		return "", err
	}
	if err := keepPriors(ctx, s, plan); err != nil {
		return "", err
	}
	k := keptPlan{Plan: plan}
	for _, p := range plan.Priors {
		k.PriorNames = append(k.PriorNames, p.Name())
	}
	if plan.Average != nil {
		k.AverageName = plan.Average.Name()
	}
	k.Priors, k.Average = nil, nil
	data, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("flow: plan: %w", err)
	}
	key := store.KeyOf("plan", data)
	return key, s.Put(ctx, planName(key), data)
}

func planName(key store.Key) string { return "plans/" + string(key) }

// LoadPlan is the plan that was kept, good for [Next] and [Assemble]: its priors have
// names only.
func LoadPlan(ctx context.Context, s store.Store, key store.Key) (Plan, error) {
	data, err := s.Get(ctx, planName(key))
	if err != nil {
		return Plan{}, err
	}
	var k keptPlan
	if err := json.Unmarshal(data, &k); err != nil {
		return Plan{}, fmt.Errorf("flow: read %s: %w", planName(key), err)
	}
	for _, name := range k.PriorNames {
		k.Priors = append(k.Priors, namedPrior(name))
	}
	if k.AverageName != "" {
		k.Average = namedPrior(k.AverageName)
	}
	return k.Plan, nil
}

// namedPrior stands for a prior where nobody plays it.
type namedPrior string

var _ mapo.Prior = namedPrior("")

func (p namedPrior) Name() string { return string(p) }

func (p namedPrior) Draw([]float64, *rand.Rand) {
	panic("flow: a prior known by its name alone is played")
}
