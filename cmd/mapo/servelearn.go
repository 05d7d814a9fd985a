package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/serve/learning"
)

// learnFlags are the flags of mapo serve that say how tables learn, as given.
type learnFlags struct {
	from, aside string
	o           learning.Options
}

// What --learn learns from.
const (
	learnTable     = "table"
	learnLabelling = "labelling"
)

func (l *learnFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.from, "learn", "", "learn the tables from games whose truth is told: table, or labelling for those of labelling, too")
	f.Lookup("learn").NoOptDefVal = learnTable
	f.IntVar(&l.o.Every, "learn-every", 50, "after how many truths there is a new version of a table; after 10 minutes there is one for fewer")
	learnRules(f, &l.o.Options, &l.aside)
}

// needLearn are the flags that say nothing without --learn.
var needLearn = []string{"learn-every", "trust", "learn-weights", "client-cap", "set-aside"}

// options returns how tables learn.
func (l *learnFlags) options(c *cobra.Command) (learning.Options, error) {
	if err := checkRules(&l.o.Options, l.aside); err != nil {
		return l.o, err
	}
	o := l.o
	o.On, o.Labelling = c.Flags().Changed("learn"), l.from == learnLabelling
	switch {
	case o.On && l.from != learnTable && !o.Labelling:
		return o, fmt.Errorf("--learn is %q; it must be table or labelling, as in --learn=labelling", l.from)
	case o.On && slices.Contains(c.Flags().Args(), learnLabelling):
		return o, errors.New("--learn takes its value after an equals sign: --learn=labelling")
	case o.Every < 1:
		return o, fmt.Errorf("--learn-every is %d; it must be at least 1 truth", o.Every)
	}
	for _, name := range needLearn {
		if c.Flags().Changed(name) && !o.On {
			return o, fmt.Errorf("--%s says how tables learn; give --learn, too", name)
		}
	}
	return o, nil
}
