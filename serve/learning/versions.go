package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mapo/data/learn"
	"mapo/serve/database"
	"mapo/serve/policies"
)

// heldVersions is how many versions of a learned table are held in memory beside the one in service.
const heldVersions = 15

// loadTime is what loading or building a version may take of the database's time.
const loadTime = 2 * time.Minute

// versions are those of one policy's learned table that sessions play with, beside the one in service. The caller holds
// the lock.
type versions struct {
	list  []*policies.Policy  // the one used last is the last
	loads map[string]*loading // under way
}

// loading is a version being loaded.
type loading struct {
	done   chan struct{}    // closed when the rest is set
	policy *policies.Policy // nil: there is no such version any more
	err    error
}

// get returns the version that is, and notes that it is used.
func (v *versions) get(is func(*policies.Policy) bool) *policies.Policy {
	i := slices.IndexFunc(v.list, is)
	if i < 0 {
		return nil
	}
	p := v.list[i]
	v.list = append(slices.Delete(v.list, i, i+1), p)
	return p
}

// put holds a version. The one that was not used for the longest time makes room.
func (v *versions) put(p *policies.Policy) {
	if v.get(p.Twin) != nil {
		return
	}
	v.list = append(v.list, p)
	if n := len(v.list) - heldVersions; n > 0 {
		v.list = slices.Delete(v.list, 0, n)
	}
}

// ForPlay returns the version of a policy's table that a session was begun with. It is nil where today's base makes another game
// of it, where the table does not learn, and where the store does not keep the version any more (pruned).
func (t *Tables) ForPlay(ctx context.Context, id string, version int, play string) (p *policies.Policy, pruned bool, err error) {
	l := t.byID[id]
	if l == nil {
		return nil, false, nil
	}
	l.mu.Lock()
	p = l.versions.get(func(p *policies.Policy) bool { return p.Play == play })
	base := l.base
	l.mu.Unlock()
	if p != nil {
		return p, false, nil
	}
	p, err = l.load(ctx, base, version)
	if err != nil || p == nil || p.Play != play {
		return nil, err == nil && p == nil, err
	}
	return p, false, nil
}

// load returns a version on a base, from memory or the store; nil where the store does not have it. Requests for the same
// version wait for one load, each for as long as its ctx lasts.
func (l *learner) load(ctx context.Context, base *policies.Policy, version int) (*policies.Policy, error) {
	key := fmt.Sprintf("%d %s", version, base.Hash())
	l.mu.Lock()
	if p := l.versions.get(func(p *policies.Policy) bool { return p.Version == version && p.Given() == base }); p != nil {
		l.mu.Unlock()
		return p, nil
	}
	now := l.versions.loads[key]
	if now == nil {
		now = &loading{done: make(chan struct{})}
		if l.versions.loads == nil {
			l.versions.loads = map[string]*loading{}
		}
		l.versions.loads[key] = now
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTime)
			defer cancel()
			now.policy, now.err = l.read(ctx, base, version)
			l.mu.Lock()
			defer l.mu.Unlock()
			if now.policy != nil {
				l.versions.put(now.policy)
			}
			delete(l.versions.loads, key)
			close(now.done)
		}()
	}
	l.mu.Unlock()
	select {
	case <-now.done:
		return now.policy, now.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read makes a version from the store; nil where it does not have it.
func (l *learner) read(ctx context.Context, base *policies.Policy, version int) (*policies.Policy, error) {
	info, cells, err := l.t.store.Cells(ctx, l.id, version)
	if errors.Is(err, database.ErrNoVersion) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if version == 0 {
		return l.made(base, learn.NewModel(base.Table, nil, l.t.options.Options), info, nil)
	}
	words, err := l.t.Lexicon(ctx, base)
	if err == nil && (len(words.Objects) < info.Objects || len(words.Questions) < info.Questions) {
		words, err = l.t.enlist(ctx, base)
	}
	if err != nil {
		return nil, err
	}
	v := &database.Vocabulary{Objects: words.Objects[:info.Objects:info.Objects], Questions: words.Questions[:info.Questions:info.Questions]}
	return l.made(base, learn.NewModel(base.Table, v, l.t.options.Options), info, cells)
}

// made returns the version of a base that cells make.
func (l *learner) made(base *policies.Policy, m *learn.Model, info database.VersionInfo, cells []database.Cell) (*policies.Policy, error) {
	t, _, err := m.Learned(cells)
	if err != nil {
		return nil, err
	}
	return base.Learned(t, info.Version, info.Games)
}
