package learning

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"mapo/data/learn"
	"mapo/serve/database"
	"mapo/serve/policies"
)

// build builds a version, unless another server does, and has it in service.
func (l *learner) build(ctx context.Context) error {
	l.mu.Lock()
	base := l.base
	l.mu.Unlock()
	began := time.Now()
	var p *policies.Policy
	var w database.VersionWrite
	var cells []database.Cell
	ran, err := l.t.store.Exclusive(ctx, l.id, func(write func(database.VersionWrite) error) (err error) {
		if p, w, cells, err = l.next(ctx, base); err == nil && p != nil {
			err = write(w)
		}
		return err
	})
	if errors.Is(err, database.ErrBuilt) || err == nil && !ran {
		return nil // the next look follows it
	}
	if err != nil || p == nil {
		return err
	}
	took := time.Since(began)
	l.serve(p, len(w.Aside), took.Seconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counted, l.cells = p.Version, cells; took > longBuild {
		l.rested = l.t.clock().Add(restTimes * took)
	}
	return nil
}

// next builds the next version; nil where nothing has changed since the newest. cells are what it is learned from.
func (l *learner) next(ctx context.Context, base *policies.Policy) (p *policies.Policy, w database.VersionWrite, cells []database.Cell, err error) {
	now, err := l.t.store.Snapshot(ctx, l.id)
	if err != nil || now.Changes == now.Built {
		return nil, w, nil, err
	}
	if now.Named {
		if _, err := l.t.enlist(ctx, base); err != nil {
			return nil, w, nil, err
		}
	}
	before, err := l.newest(ctx, now.Version)
	if err != nil {
		return nil, w, nil, err
	}
	m := learn.NewModel(base.Table, now.Vocabulary, l.t.options.Options)
	slices.SortStableFunc(now.Games, func(a, b database.Told) int { return a.At.Compare(b.At) })
	chosen, err := m.Select(now.Counts, played(now), now.Stripped)
	if err != nil {
		return nil, w, nil, err
	}
	w = l.versionOf(now, chosen)
	w.Base, w.Cells = base.Hash(), difference(chosen.Cells, before)
	p, err = l.made(base, m, w.VersionInfo, chosen.Cells)
	return p, w, chosen.Cells, err
}

// newest returns the cells of the newest version.
func (l *learner) newest(ctx context.Context, version int) ([]database.Cell, error) {
	l.mu.Lock()
	counted, cells := l.counted, l.cells
	l.mu.Unlock()
	if counted == version {
		return cells, nil
	}
	_, cells, err := l.t.store.Cells(ctx, l.id, version)
	return cells, err
}

// played returns a snapshot's games as they are selected by.
func played(now *database.Snapshot) []learn.Played {
	exempt := map[string]bool{}
	for _, a := range now.Aside {
		exempt[a.Client] = a.Restored
	}
	list := make([]learn.Played, len(now.Games))
	for i := range now.Games {
		g := &now.Games[i]
		list[i] = learn.Played{Objects: g.Objects, Answers: g.Answers, Client: g.Client.ID, Capped: g.Client.Capped, Exempt: exempt[g.Client.ID]}
	}
	return list
}

// versionOf returns what is written of a version, but for its cells.
func (l *learner) versionOf(now *database.Snapshot, chosen *learn.Selection) database.VersionWrite {
	at := l.t.clock().UTC().Truncate(time.Millisecond)
	w := database.VersionWrite{Changes: now.Changes, VersionInfo: database.VersionInfo{
		Version: now.Version + 1, Built: at, Objects: len(now.Objects), Questions: len(now.Questions), Games: now.Stripped + len(now.Games)}}
	for i, out := range chosen.Excluded {
		g := &now.Games[i]
		switch {
		case out && !g.Excluded:
			w.Exclude = append(w.Exclude, g.ID)
		case !out && g.Excluded:
			w.Include = append(w.Include, g.ID)
		}
		if out {
			w.Games--
		}
	}
	was := map[string]database.Aside{}
	for _, a := range now.Aside {
		was[a.Client] = a
	}
	for _, a := range chosen.Aside {
		next := database.Aside{Client: a.Client, Version: w.Version, Games: a.Games, Median: a.Median, Quantile: a.Quantile, Since: at}
		if before, again := was[a.Client]; again {
			next.Version, next.Since = before.Version, before.Since
		}
		w.Aside = append(w.Aside, next)
	}
	return w
}

// difference returns now minus before, two lists by object and question, without what is 0.
func difference(now, before []database.Cell) []database.Cell {
	var list []database.Cell
	for len(now)+len(before) > 0 {
		var c database.Cell
		order := 0
		switch {
		case len(before) == 0:
			order = -1
		case len(now) == 0:
			order = 1
		default:
			order = cmp.Or(cmp.Compare(now[0].Object, before[0].Object), cmp.Compare(now[0].Question, before[0].Question))
		}
		if order <= 0 {
			c, now = now[0], now[1:]
		}
		if order >= 0 {
			c = database.Cell{Object: before[0].Object, Question: before[0].Question, Yes: c.Yes - before[0].Yes, No: c.No - before[0].No}
			before = before[1:]
		}
		if c.Yes != 0 || c.No != 0 {
			list = append(list, c)
		}
	}
	return list
}
