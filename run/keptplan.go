package run

import (
	"context"
	"encoding/json"
	"fmt"

	"mapo/run/store"
)

// keptPlan is a plan in the store, its priors by reference.
type keptPlan struct {
	Plan
	PriorRefs  []PriorRef
	AverageRef PriorRef `json:",omitzero"`
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
	var err error
	if k.PriorRefs, err = refsOf(plan.Priors); err != nil {
		return "", err
	}
	if plan.Average != nil {
		if k.AverageRef, err = refOf(plan.Average); err != nil {
			return "", err
		}
	}
	k.Priors, k.Average = nil, nil
	data, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("run: plan: %w", err)
	}
	key := store.KeyOf("plan", data)
	return key, s.Put(ctx, planName(key), data)
}

func planName(key store.Key) string { return "plans/" + string(key) }

// LoadPlan returns the plan that was kept, good for [Next] and [Assemble]: its priors are
// references only.
func LoadPlan(ctx context.Context, s store.Store, key store.Key) (Plan, error) {
	data, err := s.Get(ctx, planName(key))
	if err != nil {
		return Plan{}, err
	}
	var k keptPlan
	if err := json.Unmarshal(data, &k); err != nil {
		return Plan{}, fmt.Errorf("run: read %s: %w", planName(key), err)
	}
	for _, ref := range k.PriorRefs {
		k.Priors = append(k.Priors, namedPrior{ref})
	}
	if k.AverageRef.Name != "" {
		k.Average = namedPrior{k.AverageRef}
	}
	return k.Plan, nil
}
