package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/serve"
)

// learnFlags are the flags of mapo serve that say how tables learn, as given.
type learnFlags struct {
	from, aside string
	o           serve.LearnOptions
}

// What --learn learns from.
const (
	learnTable     = "table"
	learnLabelling = "labelling"
)

func (l *learnFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&l.from, "learn", "", "learn the tables from games whose truth is told: table, or labelling for those of labelling, too")
	f.Lookup("learn").NoOptDefVal = learnTable
	f.IntVar(&l.o.Every, "learn-every", 50, "after how many truths there is a new version of a table; after 10 minutes there is one for fewer")
	f.Float64Var(&l.o.Trust, "trust", 2, "how many answers a share of the table counts as")
	f.BoolVar(&l.o.Weights, "learn-weights", false, "weight objects by how often they were thought of")
	f.Float64Var(&l.o.Select.Cap, "client-cap", 0.05, "the share of all games that may count from one address without a token, or 20 games if that is more; 0: no limit")
	f.StringVar(&l.aside, "set-aside", "on", "on or off: set clients aside whose games fit those of nobody else")
}

// needLearn are the flags that say nothing without --learn.
var needLearn = []string{"learn-every", "trust", "learn-weights", "client-cap", "set-aside"}

// options returns how tables learn.
func (l *learnFlags) options(c *cobra.Command) (serve.LearnOptions, error) {
	o := l.o
	o.On, o.Labelling = c.Flags().Changed("learn"), l.from == learnLabelling
	o.Select.SetAside = l.aside == "on"
	switch {
	case o.On && l.from != learnTable && !o.Labelling:
		return o, fmt.Errorf("--learn is %q; it must be table or labelling, as in --learn=labelling", l.from)
	case o.Every < 1:
		return o, fmt.Errorf("--learn-every is %d; it must be at least 1 truth", o.Every)
	case l.aside != "on" && l.aside != "off":
		return o, fmt.Errorf("--set-aside is %q; it must be on or off", l.aside)
	case !(o.Select.Cap >= 0 && o.Select.Cap <= 1):
		return o, fmt.Errorf("--client-cap is %g; it must be from 0 to 1, a share of all games; 0 for no limit", o.Select.Cap)
	}
	for _, name := range needLearn {
		if c.Flags().Changed(name) && !o.On {
			return o, fmt.Errorf("--%s says how tables learn; give --learn, too", name)
		}
	}
	return o, checkTrust(o.Trust)
}

// checkTrust refuses what --trust cannot be.
func checkTrust(trust float64) error {
	if !(trust > 0 && trust <= 1e6) {
		return fmt.Errorf("--trust is %g; it must be above 0 and at most 1e6 answers", trust)
	}
	return nil
}
