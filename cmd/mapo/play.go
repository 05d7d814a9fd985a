package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/cmd/mapo/terminal"
	"mapo/data/table"
	"mapo/game/play"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/serve/policies"
)

// playFlags are the flags of mapo play, as given.
type playFlags struct {
	source
	seed                 uint64
	given, games, labels string
	session              string
	guess                bool
}

func playCommand() *cobra.Command {
	f := playFlags{guess: true}
	c := &cobra.Command{
		Use:   "play POLICY|TABLE",
		Short: "A game in the terminal: answer its questions, see what it recommends",
		Long: `play is a game in the terminal. A TABLE or spec is played at once. POLICY is a policy file or, with
--problem, a name such as uncertainty or a program, 'cmd:python3 my_policy.py' (docs/other-languages.md).
With the same seed and the same answers a game repeats.

On a terminal a key is an answer; otherwise each line of the input is one. Where answers are Gaussian, an
answer is a number. Where models are compared on a pool, it is the class of an item: its name, the
beginning of it, or its number.

--given reads answers that are known beforehand from a CSV file with the header query,answer. A query is
its text or its index, from 0; an answer is yes, no, probably, probably not, don't know, 1, 0.5, -0.5 or
-1. It also reads exports of sessions, and labels of items as --labels writes them for mapo recommend.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return f.play(c, list[0]) },
	}
	f.say = func(text string) { fmt.Fprintln(console.Plain(c.ErrOrStderr()), text) }
	flags := c.Flags()
	f.source.flags(flags, playTimeout)
	flags.BoolVar(&f.guess, "guess", true, "guess before the game ends")
	flags.StringVar(&f.given, "given", "", "answers known beforehand, a CSV file of query,answer, or of item,class, or an export of a session")
	flags.StringVar(&f.session, "session", "", "the session of an export whose answers --given takes (default the only one)")
	flags.StringVar(&f.games, "games", "", "add the game to this file when its truth is told, for mapo table learn")
	flags.StringVar(&f.labels, "labels", "", "add the labels of items to this CSV file, for mapo recommend")
	flags.Uint64Var(&f.seed, "seed", 0, "draws the questions (default: any)")
	return c
}

// play runs mapo play.
func (f *playFlags) play(c *cobra.Command, path string) error {
	if !c.Flags().Changed("seed") {
		f.seed = policies.AnySeed()
	}
	if f.seed > play.MaxSeed {
		return fmt.Errorf("--seed is %d, want at most %d", f.seed, uint64(play.MaxSeed))
	}
	if err := f.source.checkFlags(longest); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil && f.problem != "" {
		return fmt.Errorf("%s is a file, and --problem is for a policy by name; drop --problem", path)
	}
	policy, err := f.open(c.Context(), path)
	if err != nil {
		return err
	}
	defer policy.Close()
	if err := f.idle(policy); err != nil {
		return err
	}
	played, err := f.terminal(c, policy)
	if err != nil {
		return err
	}
	if err := commas(disk.Output{Flag: "--labels", Path: f.labels}); err != nil {
		return err
	}
	write, err := terminal.KeepLabels(f.labels)
	if err != nil {
		return err
	}
	save, err := terminal.KeepGames(f.games)
	if err != nil {
		return err
	}
	err = played.Play(c.Context())
	lost := write(played)
	switch left := errors.Is(err, context.Canceled); {
	case left && lost != nil:
		return lost
	case left:
		return &interrupted{sameGame + self() + " play " + table.Shell(path) + same(c.Flags()) + fmt.Sprintf(" --seed %d", f.seed)}
	case err != nil || lost != nil:
		return errors.Join(err, lost)
	}
	return save(played)
}

// terminal returns the game that is to be played.
func (f *playFlags) terminal(c *cobra.Command, policy *policies.Policy) (*terminal.Game, error) {
	t := &terminal.Game{Policy: policy, Seed: f.seed, Guess: f.guess, Stop: policy.Stop(), Tell: f.games != "", Out: console.Plain(c.OutOrStdout())}
	of := kindOf(policy.Problem())
	t.From(c.InOrStdin(), of.words)
	switch {
	case f.games != "" && of.untaught != "":
		return nil, fmt.Errorf("--games is for games %s: remove --games", of.untaught)
	case f.labels != "" && !of.items:
		return nil, fmt.Errorf("--labels is for the items of a pool of classifiers; %s asks queries: remove --labels", policy.ID)
	case f.given == "" && f.session != "":
		return nil, errors.New("--session is of the export that --given reads: add --given FILE, or remove --session")
	case f.given == "":
		return t, nil
	}
	var err error
	t.Given, err = policies.ReadGiven(f.given, f.session, policy)
	return t, err
}

// same returns the flags of a game but for its seed, as they were given.
func same(f *pflag.FlagSet) (words string) {
	f.Visit(func(flag *pflag.Flag) {
		if flag.Name != "seed" {
			words += " --" + flag.Name + "=" + table.Shell(flag.Value.String())
		}
	})
	return words
}
