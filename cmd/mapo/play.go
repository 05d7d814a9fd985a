package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/serve"
)

func playCommand() *cobra.Command {
	var seed uint64
	var given, games string
	var from source
	guess := true
	c := &cobra.Command{
		Use:   "play POLICY|TABLE",
		Short: "A game in the terminal: answer its questions, see what it recommends",
		Long: "A game in the terminal. POLICY is a policy file or, with --problem, a name such as uncertainty, or a program:\n" +
			"'cmd:python3 my_policy.py' (docs/other-languages.md). A TABLE or spec is played at once.\n" +
			"On a terminal a key is an answer; otherwise each line of the input is one.\n" +
			"The seed draws the questions: with the same seed and the same answers a game repeats.\n" +
			"--given reads answers that are known beforehand: a CSV file with the header query,answer. A query is its text or\n" +
			"its index, from 0; an answer is yes, no, probably, probably not, don't know, 1, 0.5, -0.5 or -1.\n" +
			"Where the spec or the policy file says that answers are Gaussian, an answer is a number, in --given too, and on a\n" +
			"terminal it ends with Enter.\n" +
			"--games asks what it was and adds the game to a file that mapo table learn reads.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error {
			if !c.Flags().Changed("seed") {
				seed = serve.AnySeed()
			}
			if seed > play.MaxSeed {
				return fmt.Errorf("--seed is %d, want at most %d", seed, uint64(play.MaxSeed))
			}
			if err := from.check(longest); err != nil {
				return err
			}
			if _, err := os.Stat(list[0]); err == nil && from.problem != "" {
				return fmt.Errorf("%s is a file, and --problem is for a policy by name; drop --problem", list[0])
			}
			from.programs.ctx = c.Context()
			policy, err := from.open(list[0])
			if err != nil {
				return err
			}
			defer policy.Close()
			terminal := serve.Terminal{Policy: policy, Seed: seed, Guess: guess, Stop: policy.Stop(), Out: plain{c.OutOrStdout()}, Read: replies(c.InOrStdin())}
			terminal.Line = namesFrom(c.InOrStdin(), terminal.Read)
			if given != "" {
				if terminal.Given, err = serve.ReadGiven(given, policy); err != nil {
					return err
				}
			}
			if policy.Problem().Answers.Gaussian() {
				if games != "" {
					return errors.New("--games is for games of yes and no, which tables learn from; these answers are numbers: remove --games")
				}
				terminal.Read, terminal.Shown = serve.Lines(c.InOrStdin()), isTerminal(c.InOrStdin())
			}
			save, err := gamesFile(games)
			if err != nil {
				return err
			}
			terminal.Tell = games != ""
			err = terminal.Play(c.Context())
			if err == nil {
				err = save(&terminal)
			}
			if errors.Is(err, context.Canceled) {
				return &interrupted{"the same game: mapo play " + table.Shell(list[0]) + same(c.Flags()) + fmt.Sprintf(" --seed %d", seed)}
			}
			return err
		},
	}
	from.say = func(text string) { fmt.Fprintln(plain{c.ErrOrStderr()}, text) }
	from.flags(c.Flags(), playTimeout)
	c.Flags().BoolVar(&guess, "guess", true, "guess before the game ends")
	c.Flags().StringVar(&given, "given", "", "answers known beforehand, a CSV file of query,answer")
	c.Flags().StringVar(&games, "games", "", "add the game to this file when its truth is told, for mapo table learn")
	c.Flags().Uint64Var(&seed, "seed", 0, "draws the questions (default: any)")
	return c
}

// gamesFile opens the file that games are added to, "" for none, and returns what adds one whose truth was told.
func gamesFile(path string) (save func(*serve.Terminal) error, err error) {
	if path == "" {
		return func(*serve.Terminal) error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("--games: %w", err)
	}
	return func(t *serve.Terminal) error {
		played, err := t.Game()
		if err != nil || played.Truth == "" || len(played.History) == 0 {
			return errors.Join(err, f.Close())
		}
		played.Played = time.Now().UTC().Format(time.RFC3339)
		line, err := json.Marshal(played)
		if err == nil {
			_, err = f.Write(append(line, '\n')) // at once: games of several players do not mix
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("--games: %s: the game of %q is not kept: %w", path, played.Truth, err)
		}
		return nil
	}, nil
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

// replies reads the player's: single keys where in is a terminal, else lines.
func replies(in io.Reader) func(context.Context) (string, error) {
	if isTerminal(in) {
		f := in.(*os.File)
		return func(ctx context.Context) (string, error) { return key(ctx, f) }
	}
	return serve.Lines(in)
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// namesFrom reads a name: a line that the terminal edits where in is one, else the next reply.
func namesFrom(in io.Reader, read func(context.Context) (string, error)) func(context.Context) (string, error) {
	if isTerminal(in) {
		return serve.Lines(in)
	}
	return read
}

// key waits for one key of a terminal, or for the end of ctx.
func key(ctx context.Context, f *os.File) (_ string, err error) {
	before, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(f.Fd()), before)) }()
	type press struct {
		text string
		err  error
	}
	pressed := make(chan press, 1)
	go func() {
		var b [8]byte // an arrow or a letter of another alphabet comes as several bytes at once
		n, err := f.Read(b[:])
		pressed <- press{string(b[:n]), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case p := <-pressed:
		switch {
		case p.err != nil:
			return "", fmt.Errorf("read a key: %w", p.err)
		case p.text == "\x03", p.text == "\x04": // Ctrl-C, Ctrl-D: raw mode passes them on
			return "", serve.ErrQuit
		}
		return p.text, nil
	}
}
