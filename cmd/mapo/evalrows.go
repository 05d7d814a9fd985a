package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mapo/game"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/judge"
	"mapo/report"
	"mapo/serve/policies"
	"mapo/spec"
)

// trainedOn returns what the hypotheses of the policy files among names are, and the first of these files; "" where there is
// none. Files of both kinds have no table in common.
func trainedOn(names []string) (truth, file string, err error) {
	for _, name := range names {
		_, moves := transferred(name)
		if _, err := os.Stat(name); moves || isCommand(name) || disk.IsFolder(name) || err != nil && !strings.HasSuffix(name, policySuffix) {
			continue
		}
		_, contract, err := policies.ReadFile(name)
		if err != nil {
			return "", "", err
		}
		of := kindOf(contract.Problem).truth
		switch {
		case file == "":
			truth, file = of, name
		case of != truth:
			return "", "", fmt.Errorf("%s was trained on %s and %s on %s; judge them one at a time", file, hypothesesOf(truth), name, hypothesesOf(of))
		}
	}
	return truth, file, nil
}

// hypothesesOf says in words what a truth's hypotheses are.
func hypothesesOf(truth string) string {
	if truth == spec.Rows {
		return "the rows of a table"
	}
	return "majorities"
}

// loadSpec reads the SPEC. Where that does not say what the hypotheses of a table are, they are those of the policy files, else
// its rows.
func (m *measure) loadSpec(c *cobra.Command, names []string) (*spec.Spec, error) {
	truth, file, err := trainedOn(names)
	if err != nil {
		return nil, err
	}
	s, err := read(c, m.problem, spec.Override{Scale: m.scale, Truth: cmp.Or(truth, spec.Rows), Weights: m.weights})
	if err != nil {
		return nil, err
	}
	because := ""
	if s.IsTable() && s.Truth == spec.Majority && !s.Says("truth") {
		because = ", because of " + file
		fmt.Fprintf(c.ErrOrStderr(), "Hypotheses are majorities (truth: majority)%s; policies of rows are judged apart.\n", because)
	}
	if m.stop != "" {
		if err := s.SetStop(m.stop); err != nil {
			return nil, fmt.Errorf("--stop: %w", err)
		}
	}
	if s.Truth == spec.Majority && (m.flips != nil || m.svg != "") {
		return nil, fmt.Errorf("--flip and --svg judge policies on the rows of a table, and here hypotheses are majorities%s", because)
	}
	return s, nil
}

// priorNames returns the priors of --prior, table once for each share of --flip; nil where no average is asked for.
func (m *measure) priorNames() ([]string, error) {
	names := m.priors
	if names == nil && (m.flips != nil || m.svg != "") {
		names = []string{"table"}
	}
	at := slices.Index(names, "table")
	switch {
	case m.svg != "" && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "table") }):
		return nil, errors.New("--svg draws averages over a table's rows; add --prior table")
	case m.flips == nil:
		return names, nil
	case at < 0:
		return nil, errors.New("--flip flips the answers of a table's rows; add --prior table")
	}
	var flipped []string
	for _, share := range m.flips {
		switch {
		case !(share >= 0 && share <= 0.5):
			return nil, fmt.Errorf("--flip has %g; a share of wrong answers must be from 0 to 0.5", share)
		case share == 0:
			flipped = append(flipped, "table")
		default:
			flipped = append(flipped, "table+flip:"+strconv.FormatFloat(share, 'f', -1, 64))
		}
	}
	return slices.Concat(names[:at], flipped, names[at+1:]), nil
}

// people adds the answers of --answers to the averages, and says how hard all answers of other sources are.
func (m *measure) people(c *cobra.Command, s *spec.Spec, e *judge.Evaluation) error {
	if m.answers != "" {
		people, warnings, err := s.Answers(m.answers)
		if err != nil {
			return fmt.Errorf("--answers: %w", err)
		}
		for _, text := range warnings {
			fmt.Fprintln(console.Plain(c.ErrOrStderr()), "warning:", text)
		}
		e.Priors = append(slices.Clone(e.Priors), people)
	}
	for _, prior := range e.Priors {
		if people, ok := prior.(*game.People); ok {
			fmt.Fprintln(console.Plain(c.ErrOrStderr()), report.Difficulty(people.Source, judge.Difficulties(e.P, people.Rows)))
		}
	}
	return nil
}

// checkSVG says before the work why the figure of --svg could not be written after it. Only a
// figure of this program's is replaced.
func (m *measure) checkSVG() error {
	if m.svg != "" && filepath.Clean(m.svg) == filepath.Clean(m.csv) {
		return fmt.Errorf("--svg is %s, as --csv is: name another file", m.svg)
	}
	return m.figure().Replaceable("is not a figure of this program's", report.IsFigure)
}

// draw writes the figure of --svg.
func (m *measure) draw(s *spec.Spec, rows []report.Row) error {
	if m.svg == "" {
		return nil
	}
	return m.figure().Write(report.NoiseCurve(rows, s.Name+": right against the share of wrong answers"))
}

// figure returns the file of --svg.
func (m *measure) figure() disk.Output { return disk.Output{Flag: "--svg", Path: m.svg} }
