package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mapo/cmd/mapo/terminal"
	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game/play"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/serve/policies"
	"mapo/serve/wire"
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
		RunE: func(c *cobra.Command, list []string) error { return f.run(c, list[0]) },
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

// run runs mapo play.
func (f *playFlags) run(c *cobra.Command, path string) error {
	if !c.Flags().Changed("seed") {
		f.seed = policies.AnySeed()
	}
	if f.seed > play.MaxSeed {
		return fmt.Errorf("--seed is %d, want at most %d", f.seed, uint64(play.MaxSeed))
	}
	if err := f.source.check(longest); err != nil {
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
	terminal, err := f.terminal(c, policy)
	if err != nil {
		return err
	}
	write, err := labelsFile(f.labels, policy)
	if err != nil {
		return err
	}
	save, err := gamesFile(f.games)
	if err != nil {
		return err
	}
	err = terminal.Play(c.Context())
	lost := write(terminal)
	switch left := errors.Is(err, context.Canceled); {
	case left && lost != nil:
		return lost
	case left:
		return &interrupted{sameGame + self() + " play " + table.Shell(path) + same(c.Flags()) + fmt.Sprintf(" --seed %d", f.seed)}
	case err != nil || lost != nil:
		return errors.Join(err, lost)
	}
	return save(terminal)
}

// terminal returns the game that is to be played.
func (f *playFlags) terminal(c *cobra.Command, policy *policies.Policy) (*terminal.Game, error) {
	in := c.InOrStdin()
	t := &terminal.Game{Policy: policy, Seed: f.seed, Guess: f.guess, Stop: policy.Stop(), Tell: f.games != "", Out: console.Plain(c.OutOrStdout()), Read: replies(in)}
	t.Line = namesFrom(in, t.Read)
	p := policy.Problem()
	if f.games != "" && p.Vectors != nil {
		return nil, errors.New("--games is for games that tables learn from; the queries of this one are vectors: remove --games")
	}
	if p.Answers.Gaussian() || p.Labels != nil {
		if f.games != "" {
			return nil, errors.New("--games is for games of yes and no, which tables learn from; these answers are numbers or classes: remove --games")
		}
		t.Read, t.Shown = terminal.Lines(in), isTerminal(in)
	}
	switch {
	case f.given == "" && f.session != "":
		return nil, errors.New("--session is of the export that --given reads: add --given FILE, or remove --session")
	case f.given == "":
		return t, nil
	}
	var err error
	t.Given, err = policies.ReadGiven(f.given, f.session, policy)
	return t, err
}

// gamesFile opens the file that games are added to, "" for none, and returns what adds one whose truth was told.
func gamesFile(path string) (save func(*terminal.Game) error, err error) {
	if path == "" {
		return func(*terminal.Game) error { return nil }, nil
	}
	f, err := disk.Grow(path)
	if err != nil {
		return nil, fmt.Errorf("--games: %w", err)
	}
	return func(t *terminal.Game) error {
		played, err := t.Learned()
		answered := slices.ContainsFunc(played.History, func(t learn.Told) bool { return t.Answer != nil })
		if err != nil || played.Truth == "" || !answered { // "don't know" alone says nothing of the truth
			return errors.Join(err, f.Close())
		}
		played.Played = time.Now().UTC().Format(time.RFC3339)
		line, err := json.Marshal(played)
		if err == nil {
			err = f.Add(append(line, '\n'))
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("--games: %s: the game of %q is not kept: %w", path, played.Truth, err)
		}
		return nil
	}, nil
}

// labelsFile opens the file that the labels of a game are added to, "" for none, and returns what adds them.
func labelsFile(path string, policy *policies.Policy) (write func(*terminal.Game) error, err error) {
	if path == "" {
		return func(*terminal.Game) error { return nil }, nil
	}
	if policy.Problem().Labels == nil {
		return nil, fmt.Errorf("--labels is for the items of a pool of classifiers; %s asks queries: remove --labels", policy.ID)
	}
	if err := commas(disk.Output{Flag: "--labels", Path: path}); err != nil {
		return nil, err
	}
	f, err := disk.Grow(path)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	if head := wire.LabelsHeader(); !f.IsEmpty() && !f.Begins(head) {
		return nil, errors.Join(fmt.Errorf("--labels: the first line of %s is not %s: name a file that play wrote, or one that does not exist", path, head), f.Close())
	}
	return func(t *terminal.Game) error {
		var text bytes.Buffer
		err := wire.WriteLabels(&text, t.Labels(), f.IsEmpty())
		if err == nil {
			err = f.Add(text.Bytes())
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("--labels: %s: the labels are not kept: %w", path, err)
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
	return terminal.Lines(in)
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// namesFrom reads a name: a line that the terminal edits where in is one, else the next reply.
func namesFrom(in io.Reader, read func(context.Context) (string, error)) func(context.Context) (string, error) {
	if isTerminal(in) {
		return terminal.Lines(in)
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
			return "", terminal.ErrQuit
		}
		return p.text, nil
	}
}
