package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/data/dataset"
	"mapo/data/learn"
	"mapo/data/table"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/serve/database"
)

func tableCommand() *cobra.Command {
	return parent(&cobra.Command{
		Use:     "table",
		Short:   "Update a table from games, and decide about proposals",
		Example: "  mapo table learn animals.csv --games games.jsonl -o learned.csv\n  mapo table review mapo-sessions.db",
	}, "learn or review", learnCommand(), reviewCommand())
}

// learned holds the flags of `mapo table learn`.
type learned struct {
	learn.Options
	games, out, policy, setAside string
}

func learnCommand() *cobra.Command {
	var l learned
	c := &cobra.Command{
		Use:   "learn TABLE --games GAMES -o NEW",
		Short: "Make a table that knows how people answered in games whose truth was told",
		Long: `learn adds the answers of games to a table. A share counts as --trust answers, a count k/n as n + 1, and an
unknown cell as one. Questions on which people differ from the table count for less. A server learns by
itself with mapo serve --learn.

GAMES is a database of mapo serve (a file or postgres://…), a file of exported sessions, or a file with one
game a line:

  {"truth": "penguin", "recommendation": "goose", "history": [{"query": "Can it fly?", "answer": -1}]}

An answer is 1, 0.5, -0.5, -1 or null. Games without a truth do not count.`,
		Example: "  mapo table learn animals.csv --games games.jsonl -o learned.csv\n" +
			"  mapo table learn animals.csv --games mapo-sessions.db -o learned.csv\n" +
			"  mapo table learn animals.csv --games games.jsonl --trust 5 --learn-weights -o learned.csv",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return l.learnTable(c, list[0]) },
	}
	f := c.Flags()
	f.StringVar(&l.games, "games", "", "the games: a database of sessions, a file with one a line as JSON, or exported sessions")
	f.StringVar(&l.policy, "policy", "", "the policy whose games count; may be left out where the database has one")
	f.StringVarP(&l.out, "out", "o", "-", "the learned table, - for standard output; a file that exists is not replaced")
	learnRules(f, &l.Options, &l.setAside)
	return c
}

// learnTable does `mapo table learn`.
func (l *learned) learnTable(c *cobra.Command, path string) error {
	if l.games == "" {
		return hint(c, errors.New("--games is missing; name a file of games or a database of sessions"))
	}
	l.games = database.Kept(l.games)
	if err := checkRules(&l.Options, l.setAside); err != nil {
		return err
	}
	out := disk.Output{Flag: "--out", Path: l.out}
	if err := errors.Join(out.Plain(), out.Vacant()); err != nil {
		return err
	}
	t, err := dataset.ReadTable(path, "")
	if err != nil {
		return err
	}
	s, err := l.learn(c.Context(), t)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := s.Table.Write(&text); err != nil {
		return err
	}
	if err := out.Create(c.OutOrStdout(), text.Bytes()); err != nil {
		return err
	}
	s.Write(console.Plain(c.ErrOrStderr()))
	return nil
}

// learn updates t by the games of a database or a file.
func (l *learned) learn(ctx context.Context, t *table.Table) (s *learn.Summary, err error) {
	if !database.IsDatabase(l.games) {
		if l.policy != "" {
			return nil, fmt.Errorf("--policy is for a database of sessions, and %s is a file of games", l.games)
		}
		games, err := disk.Open(l.games)
		if err != nil {
			return nil, fmt.Errorf("--games: %w; name a file of games, or the database that mapo serve was given by --db", err)
		}
		defer func() { _ = games.Close() }() // it was only read
		return learn.Learn(t, nil, learn.FromFile(games, l.games), l.games, l.Options)
	}
	store, err := openSessions(ctx, l.games)
	if err != nil {
		return nil, fmt.Errorf("--games: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	policy, err := onePolicy(ctx, store, l.games, l.policy)
	if err != nil {
		return nil, fmt.Errorf("--games: %w", err)
	}
	names, err := store.Enlist(ctx, policy, nil, nil)
	if err != nil {
		return nil, err
	}
	return learn.Learn(t, names, database.Games(ctx, store, policy, names), shownDB(l.games), l.Options)
}

// learnRules adds the flags by which a table is learned, here and by a server.
func learnRules(f *pflag.FlagSet, o *learn.Options, setAside *string) {
	f.Float64Var(&o.Trust, "trust", 2, "how many answers a share of the table counts as")
	f.BoolVar(&o.Weights, "learn-weights", false, "weight objects by how often they were thought of")
	f.Float64Var(&o.Select.Cap, "client-cap", 0.05, "the share of all games that may count from one address without a token, or 20 games if that is more; 0: no limit")
	f.StringVar(setAside, "set-aside", "on", "on or off: set clients aside whose games fit no other client's")
}

// checkRules checks those flags, and completes o by them.
func checkRules(o *learn.Options, setAside string) error {
	switch {
	case !(o.Trust > 0 && o.Trust <= 1e6):
		return fmt.Errorf("--trust is %g; it must be above 0 and at most 1e6 answers", o.Trust)
	case !(o.Select.Cap >= 0 && o.Select.Cap <= 1):
		return fmt.Errorf("--client-cap is %g; it must be from 0 to 1, a share of all games; 0 for no limit", o.Select.Cap)
	case setAside != "on" && setAside != "off":
		return fmt.Errorf("--set-aside is %q; it must be on or off", setAside)
	}
	o.Select.SetAside = setAside == "on"
	return nil
}
