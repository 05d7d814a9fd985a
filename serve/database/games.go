package database

import (
	"context"
	"os"
	"slices"
	"strings"

	"mapo/data/learn"
	"mapo/internal/disk"
)

// sqliteHeader begins every SQLite file.
const sqliteHeader = "SQLite format 3\x00"

// IsDatabase reports whether path is a database of sessions and not a file of games. Of a pipe nothing is read.
func IsDatabase(path string) bool {
	if IsPostgres(path) {
		return true
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	head, err := disk.Beginning(path, len(sqliteHeader))
	return err == nil && string(head) == sqliteHeader
}

// Games returns the games of a policy whose truth was told, the oldest first, and after them as many as were not.
func Games(ctx context.Context, store TruthStore, policy string, v *Vocabulary) learn.Games {
	return func(each func(*learn.Game) error) error {
		aside, err := store.SetAside(ctx, policy)
		if err != nil {
			return err
		}
		exempt := map[string]bool{}
		for _, a := range aside {
			exempt[a.Client] = a.Restored
		}
		var all []Told
		if err := store.EachGame(ctx, policy, func(t Told) error { all = append(all, t); return nil }); err != nil {
			return err
		}
		slices.SortStableFunc(all, func(a, b Told) int { return a.At.Compare(b.At) })
		for k := range all {
			g := gameOf(&all[k], v)
			g.Exempt = exempt[g.Client]
			if err := each(g); err != nil {
				return err
			}
		}
		untold, err := store.Untold(ctx, policy)
		if err != nil {
			return err
		}
		right, wrong := true, false
		for _, u := range []struct {
			games   int
			guessed *bool
		}{{untold.Right, &right}, {untold.Wrong, &wrong}, {untold.None, nil}} {
			for range u.games {
				if err := each(&learn.Game{Guessed: u.guessed}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// gameOf returns a told game as package learn reads it.
func gameOf(t *Told, v *Vocabulary) *learn.Game {
	g := &learn.Game{Truth: t.Truth, Guess: t.Recommended, Proposed: len(t.Objects) == 0, Client: t.Client.ID, Capped: t.Client.Capped}
	if !g.Proposed {
		var names []string
		for _, k := range t.Objects {
			names = append(names, v.Objects[k].Text)
		}
		g.Truth = strings.Join(names, " or ")
	}
	for _, a := range t.Answers {
		value := a.Answer.Value()
		g.History = append(g.History, learn.Told{Query: v.Questions[a.Query].Text, Answer: &value})
	}
	return g
}
