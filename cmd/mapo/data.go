package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mapo/data/dataset"
	"mapo/data/fetch"
	"mapo/internal/console"
)

func dataCommand() *cobra.Command {
	return parent(&cobra.Command{Use: "data", Short: "Get published data, make a table from a file, or draw a pool"},
		"fetch, import, tabulate or pool", inOrder(fetchCommand()), importCommand(), tabulateCommand(), poolCommand())
}

// parent completes a command that does nothing itself: names says which subcommands there are.
func parent(c *cobra.Command, names string, subcommands ...*cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, list []string) error {
		if len(list) > 0 {
			return unknownCommand(c, list[0])
		}
		return hint(c, errors.New("missing subcommand: use "+names))
	}
	c.AddCommand(subcommands...)
	return c
}

// download holds the flags of `mapo data fetch`.
type download struct {
	yes, again bool
	to, from   string
}

func fetchCommand() *cobra.Command {
	var d download
	var names []string
	for _, s := range fetch.Sets() {
		names = append(names, s.Name)
	}
	list := strings.Join(names, "|")
	c := &cobra.Command{
		Use:   "fetch " + list,
		Short: "Download a published dataset into the cache folder, where specs find it",
		Long: `fetch shows the terms of a dataset and, on consent, downloads it from its publishers into the cache folder.
A download that was stopped continues where it was, and is checked before it takes its place.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error {
			for _, s := range fetch.Sets() {
				if s.Name == list[0] {
					return d.fetch(c, s)
				}
			}
			return fmt.Errorf("unknown dataset %q; known are %s", list[0], strings.Join(names, ", "))
		},
	}
	f := c.Flags()
	f.BoolVar(&d.yes, "yes", false, "agree to the terms shown")
	f.BoolVar(&d.again, "again", false, "download again what is there and complete")
	f.StringVar(&d.to, "to", "", "the folder (default mapo in the user's cache folder)")
	f.StringVar(&d.from, "from", "", "another address that has the same files, such as https://mirror/jester")
	return c
}

// fetch runs `mapo data fetch`.
func (d *download) fetch(c *cobra.Command, s fetch.Set) error {
	if d.from != "" {
		if !strings.HasPrefix(d.from, "https://") && !strings.HasPrefix(d.from, "http://") {
			return fmt.Errorf("--from is %q, want an address such as https://mirror/jester", d.from)
		}
		s = s.From(d.from)
	}
	folder := d.to
	if folder == "" {
		cache, err := dataset.CacheFolder()
		if err != nil {
			return fmt.Errorf("there is no cache folder (%w): name a folder with --to", err)
		}
		folder = s.In(cache)
	}
	w := c.ErrOrStderr()
	fmt.Fprint(w, s.Terms)
	if err := d.consent(c.InOrStdin(), w); err != nil {
		return err
	}
	show := console.Watch(w, "fetching "+s.Name)
	defer show.Stop()
	g := &fetch.Getter{Progress: func(p fetch.Progress) {
		if p.Note != "" {
			show.Say(p.Name + ": " + p.Note)
		}
		show.Detail(p.Name, fmt.Sprintf("%.1f of %.1f MB", float64(p.Done)/1e6, float64(max(p.Done, p.Total))/1e6), float64(p.Done)/float64(max(1, p.Done, p.Total)))
	}}
	for _, f := range s.Files {
		fetched, err := g.Get(c.Context(), f, folder, d.again)
		if err != nil {
			return stopped(c.Context(), err, "go on by running the same command")
		}
		what := "fetched"
		if !fetched {
			what = "there already"
		}
		show.Say(filepath.Join(folder, f.Name) + ": " + what)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s is in %s; in a spec:\n%s\n", s.Name, folder, s.Use)
	return err
}

// consent asks on a terminal; elsewhere --yes is the only word that counts.
func (d *download) consent(in io.Reader, w io.Writer) error {
	if d.yes {
		return nil
	}
	if f, ok := in.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return errors.New("nothing was fetched: add --yes to agree to the terms above")
	}
	fmt.Fprint(w, "Do you agree to these terms? [y/N] ")
	text, _ := bufio.NewReader(in).ReadString('\n') // no answer is a no
	if text = strings.ToLower(strings.TrimSpace(text)); text != "y" && text != "yes" {
		return errors.New("nothing was fetched: the terms were not agreed to")
	}
	return nil
}

// tabulation holds the flags of `mapo data tabulate`.
type tabulation struct {
	dataset.TabulateOptions
	madeTable
}

func tabulateCommand() *cobra.Command {
	t := tabulation{madeTable: madeTable{by: "tabulate"}}
	c := &cobra.Command{
		Use:   "tabulate ANSWERS.csv",
		Short: "Make a table of P(yes) of raw answers, and say what is wrong with them",
		Long: `tabulate reads answers in long form, object,query,answer[,annotator], with commas, semicolons, tabs or bars
between, and writes a table of smoothed P(yes). An answer is yes, no, probably, probably not or unknown, or
y, n, true, false, 1, 0, -1, 0.5 or -0.5; 0 means no unless an answer is -1 or a half one. Probably counts
as half a yes, probably not as half a no, and unknown not at all. Exports of sessions are read, too: the
object is what the session was about, and answers without it are left out.

The command reports thin cells, annotators who disagree with everybody, and queries that distinguish
nothing. The file is streamed, so millions of rows are fine. TABLE.csv.tabulated beside the table says what
was written, so that the table is replaced as answers come in, unless it was changed by hand.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return t.tabulate(c, list[0]) },
	}
	f := c.Flags()
	f.StringVarP(&t.out, "out", "o", "-", "the table, - for standard output")
	f.Float64Var(&t.Smooth, "smooth", 1, "how many answers with the query's own share of yes are added to each cell; 0: none")
	f.IntVar(&t.Thin, "thin", 3, "a cell with fewer answers of yes or no, half ones counting 1/2, is reported as thin")
	return c
}

// tabulate runs `mapo data tabulate`.
func (t *tabulation) tabulate(c *cobra.Command, path string) error {
	switch {
	case !(t.Smooth >= 0 && t.Smooth <= 1e6):
		return fmt.Errorf("--smooth is %g; it must be from 0 to 1e6", t.Smooth)
	case t.Thin < 0:
		return fmt.Errorf("--thin is %d; it must be at least 0", t.Thin)
	}
	if err := t.checkOut(path); err != nil {
		return err
	}
	got, err := dataset.Tabulate(path, t.TabulateOptions)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	if err := got.Table().Write(&table); err != nil {
		return err
	}
	if err := t.leave(c.OutOrStdout(), table.Bytes()); err != nil {
		return err
	}
	if err := got.Report(console.Plain(c.ErrOrStderr())); err != nil {
		return err
	}
	return playable(c.ErrOrStderr(), got, table.Bytes(), t.out)
}

// playable says what game the table makes, written as text to the file out. Names that answers may
// have can be ones that a table may not: a header of numbers, or one of prior weights.
func playable(w io.Writer, got *dataset.Tabulation, text []byte, out string) error {
	p, _, err := dataset.Rows(got.Table(), dataset.RowOptions{Options: dataset.Options{T: 1}})
	if err != nil {
		_, err = fmt.Fprintf(w, "the table is not a game yet: all objects have the same shares\n")
		return err
	}
	if out == "-" {
		out = "table.csv"
	}
	if _, err := dataset.ParseTable(bytes.NewReader(text), out); err != nil {
		_, err = fmt.Fprintf(w, "the table is not a game yet: %v\n", err)
		return err
	}
	_, err = fmt.Fprintf(w, "as a game: %d rows that differ, %d queries\n", p.Hypotheses(), p.Queries())
	return err
}
