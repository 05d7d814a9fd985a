package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mapo/dataset"
	"mapo/internal/atomicfile"
	"mapo/internal/openfile"
	"mapo/learn"
)

func tableCommand() *cobra.Command {
	return parent(&cobra.Command{
		Use:     "table",
		Short:   "Update a table of shares from games",
		Example: "  mapo table learn animals.csv --games games.jsonl -o learned.csv\n  mapo table review mapo-sessions.db",
	}, "learn or review", learnCommand(), reviewCommand())
}

// learned holds the flags of `mapo table learn`.
type learned struct {
	learn.Options
	games, out string
}

func learnCommand() *cobra.Command {
	var l learned
	c := &cobra.Command{
		Use:   "learn TABLE --games FILE -o NEW",
		Short: "Make a table that knows how people answered in games whose truth was told",
		Long: "learn counts the answers of games on top of a table: a share counts as --trust answers, a count k/n as n + 1, an\n" +
			"unknown cell as one. Questions on which people differ from the table count for less. FILE has one game a line:\n" +
			"\n" +
			"  {\"truth\": \"penguin\", \"recommendation\": \"goose\", \"history\": [{\"query\": \"Does it fly?\", \"answer\": -1}]}\n" +
			"\n" +
			"An answer is 1, 0.5, -0.5, -1 or null. Games without a truth count for nothing.",
		Example: "  mapo table learn animals.csv --games games.jsonl -o learned.csv\n" +
			"  mapo table learn animals.csv --games games.jsonl --trust 5 --learn-weights -o learned.csv",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return l.run(c, list[0]) },
	}
	f := c.Flags()
	f.StringVar(&l.games, "games", "", "the games, one a line as JSON")
	f.StringVarP(&l.out, "out", "o", "-", "the learned table, - for standard output; a file that exists is not replaced")
	f.Float64Var(&l.Trust, "trust", 2, "how many answers a share of the table counts as")
	f.BoolVar(&l.Weights, "learn-weights", false, "weight objects by how often they were thought of")
	return c
}

// run does `mapo table learn`.
func (l *learned) run(c *cobra.Command, path string) error {
	switch {
	case l.games == "":
		return hint(c, errors.New("--games is missing: name the file of games"))
	case !(l.Trust > 0 && l.Trust <= 1e6):
		return fmt.Errorf("--trust is %g; it must be above 0 and at most 1e6 answers", l.Trust)
	}
	if l.out != "-" {
		if _, err := os.Lstat(l.out); err == nil {
			return fmt.Errorf("--out: %s exists and is not replaced; name another file, or remove it", l.out)
		}
	}
	t, err := dataset.ReadTable(path, "")
	if err != nil {
		return err
	}
	games, err := openfile.Open(l.games)
	if err != nil {
		return fmt.Errorf("--games: %w", err)
	}
	defer func() { _ = games.Close() }() // it was only read
	s, err := learn.Learn(t.Table, nil, learn.FromFile(games, l.games), l.games, l.Options)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := s.Table.Write(&text); err != nil {
		return err
	}
	if l.out == "-" {
		_, err = c.OutOrStdout().Write(text.Bytes())
	} else {
		err = atomicfile.Write(l.out, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w; free some space, or choose another file with --out", l.out, err)
	}
	sayLearned(plain{c.ErrOrStderr()}, s)
	return nil
}

// mostSaid is how many questions and pairs are listed.
const mostSaid = 5

// sayLearned says what games made of a table.
func sayLearned(w io.Writer, s *learn.Summary) {
	fmt.Fprintf(w, "Learned from %d answers of %d games; %d of %d games have a truth, and %d of those recommended it.\n", s.Answers, s.Learned, s.Told, s.Games, s.Right)
	sayTold(w, s)
	sayExcluded(w, s)
	fmt.Fprintf(w, "People differ most from the table on:\n")
	for _, q := range s.Disagreement[:min(mostSaid, len(s.Disagreement))] {
		fmt.Fprintf(w, "  %-60s %.0f %% of the answers, from %d\n", q.Text, 100*q.Share, q.Count)
	}
	if len(s.Confused) > 0 {
		fmt.Fprintf(w, "Most often confused:\n")
	}
	for _, p := range s.Confused[:min(mostSaid, len(s.Confused))] {
		fmt.Fprintf(w, "  %s was taken for %s in %d games\n", p.Truth, p.Recommended, p.Games)
	}
	if n := len(s.Unplayed); n > 0 {
		fmt.Fprintf(w, "%d objects were never the truth, such as %s; they change by their questions' disagreement only.\n", n, s.Unplayed[0])
	}
}

// sayTold says how often people told the truth of games with a right and with a wrong guess.
func sayTold(w io.Writer, s *learn.Summary) {
	wrong := s.Told - s.Right
	if u := s.Untold; u.Right+u.Wrong > 0 {
		fmt.Fprintf(w, "The truth was told of %d of %d games that guessed right, and of %d of %d that guessed wrong.\n", s.Right, s.Right+u.Right, wrong, wrong+u.Wrong)
	}
	if s.Proposed > 0 {
		fmt.Fprintf(w, "%d games had an object that is only proposed; they count once it is accepted.\n", s.Proposed)
	}
}

// sayExcluded says which games count for nothing.
func sayExcluded(w io.Writer, s *learn.Summary) {
	if s.Capped > 0 {
		fmt.Fprintf(w, "%d games were left out because too many came from one client.\n", s.Capped)
	}
	for _, a := range s.Aside {
		fmt.Fprintf(w, "%d games of client %s were set aside: their answers have the median log-likelihood %.2f, and 99 %% of the others are above %.2f.\n", a.Games, a.Client, a.Median, a.Quantile)
	}
}
