package learning

import (
	"context"
	"time"
)

// Learner returns what has a policy learn.
func (t *Tables) Learner(id string) *learner { return t.byID[id] }

// RestUntil has the learner build nothing before a time.
func (l *learner) RestUntil(at time.Time) { l.rested = at }

// HeldCount returns how many versions are held.
func (l *learner) HeldCount() int { return len(l.versions.list) }

const LongBuild = longBuild
const RestTimes = restTimes

func (x *Tables) TeachEvery(a0 context.Context, a1 time.Duration) { x.teachEvery(a0, a1) }

func (x *learner) Report(a0 error) { x.report(a0) }

func (x *learner) Tend(a0 context.Context) error { return x.tend(a0) }

const HeldVersions = heldVersions
