// Command mapo learns a policy that asks the right queries, measures its worst
// case, and puts it to work. Here are flags and wiring; what they start is in
// the other packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mapo/internal/num"
)

// Exit codes.
const (
	exitFault       = 1
	exitInterrupted = 130 // as a shell reports a command that Ctrl-C ended
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs one command line and returns its exit code.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for the checkpoint
	root := command()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "mapo:", oneLine(err.Error()))
	if errors.As(err, new(*interrupted)) {
		return exitInterrupted
	}
	return exitFault
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

// command is the root of all commands.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "mapo",
		Short: "Learn which questions to ask, robustly",
		Long: "mapo takes a table of hypotheses × queries and a small budget, learns a policy that asks the right\n" +
			"queries, and measures its worst case (Learning to Actively Learn: A Robust Approach, arXiv 2010.15382).",
		Version:            version(),
		DisableSuggestions: true,
		SilenceUsage:       true, // a fault in the data is one line, not a page
		SilenceErrors:      true,
		PersistentPreRunE:  func(*cobra.Command, []string) error { return num.Check() },
	}
	root.SetVersionTemplate("mapo {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return hint(c, err) })
	root.AddCommand(runCommand(), trainCommand(), evalCommand(), inspectCommand(), certifyCommand(), benchCommand())
	return root
}

// hint adds where to look after a fault in the command line itself.
func hint(c *cobra.Command, err error) error {
	return fmt.Errorf("%w: see %s --help", err, c.CommandPath())
}

// args checks the number of arguments, a fault being one line.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, list []string) error {
		if err := check(c, list); err != nil {
			return hint(c, err)
		}
		return nil
	}
}

// interrupted is the error of a command that Ctrl-C ended.
type interrupted struct{ how string }

func (e *interrupted) Error() string { return "stopped; " + e.how }

// version is that of the module, or of the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
