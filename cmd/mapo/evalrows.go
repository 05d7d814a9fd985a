package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/atomicfile"
	"mapo/report"
	"mapo/rng"
	"mapo/run/plan"
	"mapo/spec"
)

// onRows reports whether these flags and policies are judged on the rows of a table where the SPEC does not say what its
// hypotheses are, and else what asks for majorities.
func (m *measure) onRows(names []string) (ok bool, why string) {
	switch {
	case len(m.levels) > 0:
		return false, "--r"
	case m.theta != "":
		return false, "--theta"
	case m.exact:
		return false, "--exact"
	}
	for _, name := range names {
		if strings.HasSuffix(name, policySuffix) {
			return false, name
		}
	}
	return true, ""
}

// loadSpec reads the SPEC, the hypotheses of a table being its rows where these flags and policies are judged on them, or the
// SPEC says so.
func (m *measure) loadSpec(c *cobra.Command, names []string) (*spec.Spec, error) {
	ok, why := m.onRows(names)
	over := spec.Override{Scale: m.scale, Truth: spec.Rows, Weights: m.weights}
	if !ok {
		over.Truth = ""
	}
	s, err := spec.Load(m.problem, over)
	switch {
	case err != nil:
		return nil, err
	case s.Truth == spec.Majority && (len(m.flips) > 0 || m.svg != ""):
		return nil, fmt.Errorf("--flip and --svg judge policies on the rows of a table, and here hypotheses are majorities%s", because(why))
	case s.Truth == spec.Majority:
		if !ok && s.IsTable() {
			fmt.Fprintf(c.ErrOrStderr(), "Hypotheses are majorities (truth: majority)%s.\n", because(why))
		}
	}
	return s, nil
}

// onlyRight reports whether what is asked for on the rows of a table is how often policies name the row that was drawn. A
// policy file is judged in the worst case, too, where nothing says which averages.
func (m *measure) onlyRight(names []string) bool {
	ok, _ := m.onRows(names)
	return ok || len(m.levels) == 0 && m.theta == "" && !m.exact && (m.priors != nil || m.flips != nil || m.svg != "")
}

// because names the reason, if there is one.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ", because of " + why
}

// rows measures how often policies name the row that was drawn.
func (m *measure) rows(c *cobra.Command, s *spec.Spec, names []string) error {
	tellData(s, func(text string) { fmt.Fprintln(plain{c.ErrOrStderr()}, text) })
	priors, err := m.rowPriors(s)
	if err != nil {
		return err
	}
	games := m.games
	if games == 0 {
		games = plan.Games(s.Scale)
	}
	rows, err := m.identify(c.Context(), s, names, priors, games)
	if err != nil {
		return stopped(c.Context(), err, "nothing was kept")
	}
	if err := printRows(besideRows(c.OutOrStdout(), m.csv), rows); err != nil {
		return err
	}
	if m.svg != "" {
		if err := atomicfile.Write(m.svg, report.NoiseCurve(rows, s.Name+": right against the share of wrong answers")); err != nil {
			return fmt.Errorf("write %s: %w; free some space, or choose another file with --svg", m.svg, err)
		}
	}
	return writeRows(c, m.csv, rows)
}

// rowPriors returns those of --prior, table once for each share of --flip.
func (m *measure) rowPriors(s *spec.Spec) ([]game.Prior, error) {
	names, flips := m.priors, m.flips
	if names == nil {
		names = []string{"table"}
	}
	if flips == nil {
		flips = []float64{0}
	}
	if !slices.Contains(names, "table") && m.flips != nil {
		return nil, errors.New("--flip flips the answers of a table's rows; add --prior table")
	}
	var priors []game.Prior
	for _, name := range names {
		if name == "table" {
			for _, share := range flips {
				if !(share >= 0 && share <= 0.5) {
					return nil, fmt.Errorf("--flip has %g; a share of wrong answers must be from 0 to 0.5", share)
				}
				priors = append(priors, s.Flipped(share))
			}
			continue
		}
		prior, err := s.Prior(name)
		if err != nil {
			return nil, fmt.Errorf("--prior: %w", err)
		}
		priors = append(priors, prior)
	}
	for k, p := range priors {
		if slices.ContainsFunc(priors[:k], func(q game.Prior) bool { return q.Name() == p.Name() }) {
			return nil, fmt.Errorf("--prior: %s stands twice; remove one", p.Name())
		}
	}
	return priors, nil
}

// identify plays every policy on every prior.
func (m *measure) identify(ctx context.Context, s *spec.Spec, names []string, priors []game.Prior, games int) ([]report.Row, error) {
	g := startPrograms(ctx, m.workers, m.timeout)
	defer g.close()
	all, err := players(s.Problem, game.BestIdentification, names, g)
	if err != nil {
		return nil, err
	}
	var rows []report.Row
	key := rng.New(s.Seed).Name("eval").Name("average")
	for _, p := range all {
		for _, prior := range priors {
			begin := time.Now()
			e, err := sim.Play{P: s.Problem, Policy: p.Policy, Workers: m.workers}.Identify(g.ctx, prior, games, key.Name(prior.Name()))
			if fault := g.fault(); fault != nil {
				return nil, fault
			}
			if err != nil {
				return nil, err
			}
			row := report.RowOf(report.Average, p.Name, report.BestIdentification, e)
			row.Prior, row.Seconds = prior.Name(), time.Since(begin).Seconds()
			rows = append(rows, row)
		}
	}
	return rows, nil
}
