package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/internal/console"
	"mapo/internal/names"
	"mapo/internal/num"
	"mapo/run"
)

// Exit codes.
const (
	exitFault       = 1
	exitInterrupted = 130 // as a shell reports a command that Ctrl-C ended
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs one command line until Ctrl-C, and returns its exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, stop := untilStopped()
	defer stop()
	return executeUntil(ctx, args, stdout, stderr)
}

// untilStopped returns a context that ends with Ctrl-C or SIGTERM. A second Ctrl-C does not wait for the checkpoint.
func untilStopped() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// executeUntil runs one command line until ctx ends, and returns its exit code.
func executeUntil(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := command()
	root.SetArgs(args)
	out := &output{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	addHelp(root)
	held := false
	if found, _, err := root.Find(args); err == nil {
		_, held = found.Annotations[orderly]
	}
	err := (&leaver{free: !held}).run(ctx, grace, root.ExecuteContext)
	if _, _, unknown := root.Find(args); unknown != nil { // once cobra has added its own commands
		err = unknownCommand(root, firstWord(args))
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	complain(console.Plain(stderr), meant(err))
	if errors.As(err, new(*interrupted)) {
		return exitInterrupted
	}
	return exitFault
}

// firstWord returns the first of args that is not a flag.
func firstWord(args []string) string {
	for _, word := range args {
		if !strings.HasPrefix(word, "-") {
			return word
		}
	}
	return ""
}

// These stand in a message before a command line: one that continues what was stopped, and one that begins it again.
const (
	goOn     = "go on with: "
	sameGame = "the same game: "
)

// complain prints a fault in one line. On a terminal a command line that it ends with has lines of its own, to be pasted.
func complain(w io.Writer, err error) {
	text := "mapo: " + oneLine(err.Error())
	for _, lead := range []string{goOn, sameGame} {
		if before, line, found := strings.Cut(text, lead); found && console.Terminal(w) != nil {
			fmt.Fprintln(w, before+strings.TrimSpace(lead))
			_ = console.PrintCommand(w, "", line) // there is nowhere to complain of it
			return
		}
	}
	fmt.Fprintln(w, text)
}

// meant adds to the fault of a file that does not exist the one beside it that was perhaps meant.
func meant(err error) error {
	var missing *fs.PathError
	if !errors.As(err, &missing) || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	near, ok := names.NearFile(missing.Path)
	if !ok {
		return err
	}
	return fmt.Errorf("%w; did you mean %s?", err, file(near))
}

// output notes the first fault of writing, so that a command which prints need not look for it.
type output struct {
	w   io.Writer
	err error
}

// Unwrap returns the writer below.
func (o *output) Unwrap() io.Writer { return o.w }

func (o *output) Write(text []byte) (int, error) {
	n, err := o.w.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// oneLine joins the lines of a message: a fault is one line.
func oneLine(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, "\n") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// command returns the root of all commands.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "mapo",
		Short: "Learn which questions to ask, robustly",
		Long: "mapo takes a table of hypotheses × queries and asks the most informative question. For a small budget it learns a\n" +
			"policy that asks the right queries, and measures its worst case (Learning to Actively Learn: A Robust Approach,\n" +
			"arXiv 2010.15382).",
		Version:       run.Version(),
		SilenceUsage:  true, // a fault in the data is one line, not a page
		SilenceErrors: true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			return errors.Join(noneEmpty(c), num.Check())
		},
	}
	root.SetVersionTemplate("mapo {{.Version}}\n")
	root.SetFlagErrorFunc(badFlag)
	group(root, "Play and serve:", inOrder(playCommand()), inOrder(serveCommand()), recommendCommand())
	group(root, "Tables and specs:", dataCommand(), tableCommand(), initCommand(), inspectCommand())
	group(root, "Train and measure:", inOrder(runCommand()), inOrder(trainCommand()), inOrder(pretrainCommand()), evalCommand(), certifyCommand(), exportCommand())
	group(root, "A run on many machines:", inOrder(stepCommand()), inOrder(workerCommand()), runsCommand(), cancelCommand())
	root.AddCommand(benchCommand(), versionCommand())
	explain(root)
	completes(root)
	return root
}

// group adds commands to root that its help lists under a title.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// badFlag returns a fault in a flag in words: what the parser says of numbers is meant
// for programmers.
func badFlag(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		kind, known := map[string]string{
			"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0 on", "float64": "a number", "float64Slice": "a list of numbers such as 8,32",
			"duration": "a time such as 90s or 2h", "bool": "true or false", "bytes": "a number of bytes such as 65536, 64KiB or 1MiB",
		}[invalid.GetFlag().Value.Type()]
		if known {
			err = fmt.Errorf("--%s is %q, want %s", invalid.GetFlag().Name, invalid.GetValue(), kind)
		}
	}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		if near := unknownFlag(c, missing.GetSpecifiedName()); near != nil {
			err = near
		}
	}
	return hint(c, err)
}

// noneEmpty refuses a flag that is given no value, as an unset variable of a shell
// script gives it: that is not the same as leaving it out.
func noneEmpty(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); v == "" || v == "[]" {
			err = fmt.Errorf("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}

// hint adds where to look after a fault in the command line itself.
func hint(c *cobra.Command, err error) error {
	return fmt.Errorf("%w: see %s --help", err, self()+strings.TrimPrefix(c.CommandPath(), c.Root().Name()))
}

// args checks the number of arguments, a fault being one line.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, list []string) error {
		switch {
		case check(c, list) == nil:
			return nil
		case c.HasSubCommands():
			return unknownCommand(c, list[0])
		}
		got := "an argument"
		if n := len(list); n != 1 {
			got = fmt.Sprintf("%d arguments", n)
		}
		return hint(c, fmt.Errorf("usage: %s; got %s", strings.TrimSuffix(c.UseLine(), " [flags]"), got))
	}
}

// interrupted is the error of a command that Ctrl-C ended.
type interrupted struct{ how string }

func (e *interrupted) Error() string { return "stopped; " + e.how }
