package policies

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"mapo/serve/wire"
)

// Set is the policies in service. It may be used concurrently.
type Set struct {
	now  atomic.Pointer[[]*Policy] // as the files were given
	most atomic.Pointer[Bounds]    // of requests, from now and old
	mu   sync.Mutex                // of old; requests wait for it
	old  []*Policy                 // replaced by files that hold another game, the newest last

	changing sync.Mutex                       // one change of now at a time; no request waits for it
	adopt    func(p *Policy) (*Policy, error) // what to serve where a file gives p; nil: p itself
}

// keptOld is how many replaced policies stay, for the sessions begun with them.
const keptOld = 16

// Opener opens what a command line names: a policy file, or a policy without training.
type Opener func(path string) (*Policy, error)

// NewSet opens policies, files by [Open] where open is nil. Each is PATH or NAME=PATH, as for [OpenAll].
func NewSet(paths []string, open Opener) (*Set, error) {
	if open == nil {
		open = Open
	}
	all, err := OpenAll(paths, open)
	if err != nil {
		return nil, err
	}
	s := new(Set)
	s.put(all)
	return s, nil
}

// put puts all in service. changing is held, or s is new.
func (s *Set) put(all []*Policy) {
	s.mu.Lock()
	most := boundsOf(all, s.old)
	s.mu.Unlock()
	s.most.Store(&most)
	s.now.Store(&all)
}

// Bounds returns what requests for the policies in service, and for the old ones, may have
// at most.
func (s *Set) Bounds() Bounds { return *s.most.Load() }

// All lists the policies in the order of their files. It must not be changed.
func (s *Set) All() []*Policy { return *s.now.Load() }

// Get returns the policy with an id, nil where there is none.
func (s *Set) Get(id string) *Policy {
	for _, p := range s.All() {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// Find returns the policy with an id, as [Set.Get] does, or a fault where there is none.
func (s *Set) Find(id string) (*Policy, error) {
	if p := s.Get(id); p != nil {
		return p, nil
	}
	return nil, wire.Refuse(http.StatusNotFound, "no policy is called %q; GET /v1/policies lists them", id)
}

// ForPlay returns the policy to go on with in a game begun under id: the one in service
// where it plays the same game, else an earlier one that does, else nil.
func (s *Set) ForPlay(id, play string) *Policy {
	if p := s.Get(id); p == nil || p.Play == play {
		return p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.old) {
		if p.ID == id && p.Play == play {
			return p
		}
	}
	return nil
}

// Renew reads all files again, policies, tables and specs, starts programs anew, and logs what came of it. A file that is
// no longer sound is refused, and its policy stays as it was.
func (s *Set) Renew(log *slog.Logger) {
	changed, err := s.Reload()
	for _, id := range changed {
		log.Info("policy changed", "policy", id, "hash", s.Get(id).Hash())
	}
	if err != nil {
		log.Error("a policy is refused, the old one stays", "error", err)
	}
	if len(changed) == 0 && err == nil {
		log.Info("no policy file has changed")
	}
}

// Reload reads all files again and returns the ids of those that changed. A file
// that is no longer sound is an error, and its policy stays as it was. A program is started anew in any case.
func (s *Set) Reload() (changed []string, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	next := slices.Clone(s.All())
	var idle, old []*Policy // idle ones get no more requests
	for i, was := range next {
		given := was.Given()
		p, fault := given.open()
		if fault == nil {
			p.ID, p.open = was.ID, given.open
		}
		switch {
		case fault != nil:
			err = errors.Join(err, fault)
		case p.Hash() != given.Hash():
			served, fault := s.adopted(p)
			if fault != nil {
				err = errors.Join(err, fault)
				idle = append(idle, p)
				continue
			}
			next[i] = served
			changed = append(changed, p.ID)
			if served.Play != was.Play {
				old = append(old, was)
			}
		case p.retire != nil:
			next[i] = p
			idle = append(idle, was)
		}
	}
	idle = append(idle, s.replaced(old)...)
	s.put(next)
	retire(idle)
	return changed, err
}

// adopted returns what to serve where a file gives p.
func (s *Set) adopted(p *Policy) (*Policy, error) {
	if s.adopt == nil {
		return p, nil
	}
	return s.adopt(p)
}

// AdoptAll puts what adopt returns in service, now and wherever a file changes.
func (s *Set) AdoptAll(adopt func(p *Policy) (*Policy, error)) (err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	next := slices.Clone(s.All())
	for i, p := range next {
		if next[i], err = adopt(p.Given()); err != nil {
			return err
		}
	}
	s.adopt = adopt
	s.put(next)
	return nil
}

// replaced keeps policies for the sessions begun with them, and returns those that are kept no longer.
func (s *Set) replaced(old []*Policy) (gone []*Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.old = append(s.old, old...)
	if n := len(s.old) - keptOld; n > 0 {
		gone = slices.Clone(s.old[:n])
		s.old = slices.Delete(s.old, 0, n)
	}
	return gone
}

// Install puts a learned version in service, unless its base is not in service any more, or a
// version at least as new is. It reports whether it did.
func (s *Set) Install(p *Policy) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	next := slices.Clone(s.All())
	for i, was := range next {
		if was.ID == p.ID && was.Given() == p.base && was.Version < p.Version {
			next[i] = p
			s.put(next)
			return true
		}
	}
	return false
}

// Close ends the programs of all policies as soon as no caller asks them.
func (s *Set) Close() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	retire(slices.Concat(s.All(), s.old))
}

// retire ends the programs of policies, all at once.
func retire(list []*Policy) {
	var all sync.WaitGroup
	for _, p := range list {
		all.Go(p.Close)
	}
	all.Wait()
}
