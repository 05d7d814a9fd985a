package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mapo/data/learn"
	"mapo/serve/database"
	"mapo/serve/policies"
)

// Options say whether and how tables learn from games. Zero values are defaults.
type Options struct {
	On        bool // whether policies without training that play over rows learn
	Labelling bool // whether they learn from sessions for labelling, too
	Every     int  // truths after which a new version is built; 0: 50
	learn.Options
}

const (
	defaultEvery = 50
	restTime     = 10 * time.Minute // after which a version is built for fewer truths
	followEvery  = 15 * time.Second // how often the store is asked for versions of other servers
	longBuild    = 10 * time.Second // building for longer is followed by a rest of restTimes as long, for the requests
	restTimes    = 3
)

// learner has one policy learn. What takes long is done without its lock, which requests wait for.
type learner struct {
	id      string
	t       *Tables
	pending atomic.Int64 // changes that the newest version does not have, as far as this server knows
	urgent  atomic.Bool  // a version is due however few they are

	mu       sync.Mutex
	base     *policies.Policy // today's
	versions versions
	aside    int             // clients that the version in service sets aside
	seconds  float64         // that building it took here; 0: another server did
	counted  int             // the version that cells are of, the last one built here
	cells    []database.Cell // what it was learned from
	rested   time.Time       // until then no other version is built
	since    time.Time       // of the first change that the newest version does not have; zero: there is none
	failing  bool            // the last attempt has failed, and that was logged
}

// Tables are the learned tables of the policies in service, and the names that their games speak of. They may be used
// concurrently.
type Tables struct {
	options  Options
	set      *policies.Set
	store    database.Store
	log      *slog.Logger
	clock    func() time.Time
	byID     map[string]*learner
	wake     chan struct{} // has room for one
	lexicons lexicons
}

// New sets up a learner for every policy of set that can learn, if o says so, and puts its newest version in service.
// It refuses a table that lacks what games were about.
func New(ctx context.Context, set *policies.Set, db database.Store, o Options, log *slog.Logger, clock func() time.Time) (*Tables, error) {
	t := &Tables{options: o, set: set, store: db, log: log, clock: clock, byID: map[string]*learner{}, wake: make(chan struct{}, 1)}
	if !o.On {
		return t, nil
	}
	for _, p := range set.All() {
		if p.Learns() {
			t.byID[p.ID] = &learner{id: p.ID, t: t}
		}
	}
	if len(t.byID) == 0 {
		return nil, errors.New("--learn needs a table: policies over its rows learn, and trained policies, programs and policies by majorities do not")
	}
	return t, set.AdoptAll(func(p *policies.Policy) (*policies.Policy, error) {
		l := t.byID[p.ID]
		if l == nil || !p.Learns() {
			return p, nil
		}
		ctx, cancel := context.WithTimeout(ctx, loadTime)
		defer cancel()
		return l.adopt(ctx, p)
	})
}

// Learns reports whether the table of the policy with an id learns from games.
func (t *Tables) Learns(id string) bool { return t.byID[id] != nil }

// adopt makes p the policy's base and returns the newest version on it.
func (l *learner) adopt(ctx context.Context, p *policies.Policy) (*policies.Policy, error) {
	now, err := l.t.store.Snapshot(ctx, l.id)
	if err != nil {
		return nil, err
	}
	if _, _, err := learn.NewModel(p.Table, now.Vocabulary, l.t.options.Options).Learned(now.Counts); err != nil {
		return nil, err
	}
	if _, err := l.t.enlist(ctx, p); err != nil {
		return nil, err
	}
	version, err := l.read(ctx, p, now.Version)
	if err == nil && version == nil {
		err = fmt.Errorf("version %d of the learned table %s is not in the database", now.Version, l.id)
	}
	if err != nil {
		return nil, err
	}
	aside, err := l.setAside(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base, l.aside, l.seconds = p, aside, 0
	return version, nil
}

// setAside returns how many clients the newest version sets aside.
func (l *learner) setAside(ctx context.Context) (n int, err error) {
	list, err := l.t.store.SetAside(ctx, l.id)
	for _, a := range list {
		if !a.Restored {
			n++
		}
	}
	return n, err
}

// Teach builds new versions of learned tables and follows those of other servers, until ctx ends.
func (t *Tables) Teach(ctx context.Context) { t.teachEvery(ctx, followEvery) }

func (t *Tables) teachEvery(ctx context.Context, every time.Duration) {
	if len(t.byID) == 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		_ = t.Tend(ctx) // what fails is logged, and tried again
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-t.wake:
		}
	}
}

// Tend puts the newest versions in service, and builds others where that is due.
func (t *Tables) Tend(ctx context.Context) error {
	var all []error
	for _, l := range t.byID {
		err := l.tend(ctx)
		l.report(err)
		all = append(all, err)
	}
	return errors.Join(all...)
}

// report logs the first of several failures, and that they are over.
func (l *learner) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled): // the server stops
	case err != nil && !l.failing:
		l.t.log.Error("a table learns nothing at the moment; the old version stays, and it is tried again", "policy", l.id, "error", err)
		l.failing = true
	case err == nil && l.failing:
		l.t.log.Info("a table learns again", "policy", l.id)
		l.failing = false
	}
}

// Taught notes that a policy's counts have changed.
func (t *Tables) Taught(id string) {
	if l := t.byID[id]; l != nil && l.pending.Add(1) >= int64(t.every()) {
		t.rouse()
	}
}

// Decided notes that an operator has decided, so that the next version does not wait.
func (t *Tables) Decided(id string) {
	if l := t.byID[id]; l != nil {
		l.urgent.Store(true)
		t.rouse()
	}
}

func (t *Tables) rouse() {
	select {
	case t.wake <- struct{}{}:
	default: // it is awake already
	}
}

// every returns after how many truths a version is built.
func (t *Tables) every() int { return cmp.Or(t.options.Every, defaultEvery) }

// tend puts the newest version in service, and builds another one where that is due.
func (l *learner) tend(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	urgent := l.urgent.Swap(false)
	now, err := l.t.store.Learning(ctx, l.id)
	if err == nil {
		l.pending.Store(now.Changes - now.Built)
		err = l.follow(ctx, now.Version)
	}
	if err == nil && l.due(now, urgent) {
		l.pending.Store(0) // what comes while it is built counts for the next one
		err = l.build(ctx)
	}
	if err != nil && urgent {
		l.urgent.Store(true)
	}
	return err
}

// due reports whether a version is to be built.
func (l *learner) due(now database.Learning, urgent bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch at := l.t.clock(); {
	case now.Changes == now.Built:
		l.since = time.Time{}
		return false
	case urgent, now.Named:
		return true
	case at.Before(l.rested):
		l.pending.Store(0)
		return false
	case now.Changes-now.Built >= int64(l.t.every()):
		return true
	case l.since.IsZero():
		l.since = at
		fallthrough
	default:
		return at.Sub(l.since) >= restTime
	}
}

// follow puts a version in service that another server may have built.
func (l *learner) follow(ctx context.Context, version int) error {
	if was := l.t.set.Get(l.id); version <= was.Version {
		return nil
	}
	l.mu.Lock()
	base := l.base
	l.mu.Unlock()
	p, err := l.load(ctx, base, version)
	if err != nil || p == nil { // or it is pruned already, and there is a newer one
		return err
	}
	aside, err := l.setAside(ctx)
	if err == nil {
		l.serve(p, aside, 0)
	}
	return err
}

// serve puts a version in service, and keeps the one before it for its sessions.
func (l *learner) serve(p *policies.Policy, aside int, seconds float64) {
	was := l.t.set.Get(l.id)
	if !l.t.set.Install(p) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.versions.put(was)
	l.aside, l.seconds, l.since = aside, seconds, time.Time{}
	l.t.log.Info("a table has learned", "policy", l.id, "version", p.Version, "games", p.Games, "set_aside", aside)
}
