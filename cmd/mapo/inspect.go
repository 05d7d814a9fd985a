package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/console"
	"mapo/internal/num"
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/run"
	"mapo/run/folder"
	"mapo/serve/policies"
	"mapo/spec"
)

func inspectCommand() *cobra.Command {
	var machine bool
	c := &cobra.Command{
		Use:   "inspect SPEC|POLICY",
		Short: "Describe and check a spec or policy, and how hard its problem is",
		Long: `inspect describes a SPEC: queries, hypotheses, budget, rules, what was merged or dropped, and the least
difficulty ρ̃ of any instance. Of a small table it also says how often policies without training are right.
Of a policy file it shows the contract, with the worst case found at each level. Nothing is trained. What
takes longer than a minute is left out, and named.`,
		Args: func(c *cobra.Command, list []string) error {
			if machine {
				return args(cobra.NoArgs)(c, list)
			}
			return args(cobra.ExactArgs(1))(c, list)
		},
		RunE: func(c *cobra.Command, list []string) error {
			switch {
			case machine:
				return inspectMachine(c.OutOrStdout())
			case strings.HasSuffix(list[0], policySuffix):
				return inspectPolicy(c, list[0])
			}
			return inspectSpec(c, list[0], lookTime)
		},
	}
	c.Flags().BoolVar(&machine, "machine", false, "the kernels this machine has, and which is used")
	return c
}

// inspectMachine runs `mapo inspect --machine`.
func inspectMachine(w io.Writer) error {
	_, err := fmt.Fprintf(w, "machine    %s\nkernel     %s\navailable  %s\nresults    %s\n",
		folder.Machine(), num.Kernel(), strings.Join(num.Available(), ", "), strings.Join(num.Environment(), ", "))
	return err
}

// lookTime is how long inspect looks at a problem. What is not found by then is left out.
const lookTime = 45 * time.Second

// inspectSpec runs `mapo inspect SPEC`. A spec with other: has no levels.
func inspectSpec(c *cobra.Command, path string, within time.Duration) error {
	s, err := read(c, path, spec.Override{})
	if err != nil {
		return err
	}
	untrained := s.Trains()
	ctx, cancel := context.WithTimeout(c.Context(), within)
	defer cancel()
	o := options{ctx: ctx, silent: true, look: true, noLevels: untrained != nil}
	plan, err := planned(c, s, path, o)
	late := err
	if errors.Is(err, context.DeadlineExceeded) {
		o.ctx, o.noLevels = nil, true
		plan, err = planned(c, s, path, o)
	} else {
		late = nil
	}
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(console.Plain(c.OutOrStdout()), 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "spec\t%s, hash %s\n", path, plan.Content)
	inspectShape(t, plan.Problem)
	inspectLeast(t, plan.Problem, late)
	fmt.Fprint(t, kindOf(plan.Problem).rows)
	fmt.Fprintf(t, "loss\t%s\n", plan.Loss)
	fmt.Fprintf(t, "don't know\t%s\n", dontKnow(plan.DontKnow))
	if plan.Decision != "" {
		fmt.Fprintf(t, "decision\t%s\n", plan.Decision)
	}
	if plan.Stopping != "" {
		fmt.Fprintf(t, "games end at\t%s\n", plan.Stopping)
	}
	if plan.Weight > 0 {
		fmt.Fprintf(t, "objective\t%s\n", record.Objective(plan.Average.Name(), plan.Weight, len(plan.Levels)))
	}
	switch {
	case untrained != nil:
		fmt.Fprintf(t, "levels\tnone: %v\n", untrained)
	case late != nil:
		inspectGiven(t, plan.Levels)
	default:
		inspectLevels(t, plan)
	}
	if err := inspectUntrained(c, ctx, t, &plan, path); err != nil {
		return err
	}
	fmt.Fprintf(t, "scale\t%s, seed %d\n", plan.Scale, plan.Seed)
	fmt.Fprintf(t, "rivals\t%s\n", strings.Join(plan.Rivals, ", "))
	var priors []string
	for _, p := range plan.Priors {
		priors = append(priors, p.Name())
	}
	fmt.Fprintf(t, "priors\t%s\n", strings.Join(priors, ", "))
	for _, note := range plan.Notes {
		fmt.Fprintf(t, "note\t%s\n", note)
	}
	for _, w := range plan.Warnings {
		fmt.Fprintf(t, "warning\t%s\n", w)
	}
	if untrained != nil {
		return t.Flush()
	}
	if err := run.Holds(plan.Problem); err != nil { // it can be played and judged
		fmt.Fprintf(t, "training\tnone: %v\n", err)
		return t.Flush()
	}
	if late != nil {
		return t.Flush()
	}
	if err := plan.Check(); err != nil {
		return errors.Join(t.Flush(), fmt.Errorf("%s: %w", path, err))
	}
	return t.Flush()
}

// inspectLevels prints the levels of a plan.
func inspectLevels(w io.Writer, plan run.Plan) {
	fmt.Fprintf(w, "levels\t%s\n", judge.ListLevels(plan.Levels))
	if plan.LevelsNote != "" {
		fmt.Fprintf(w, "\t%s\n", plan.LevelsNote)
	}
	own, flipped := plan.Coverage(0), plan.Coverage(0.1)
	for k := range own {
		fmt.Fprintf(w, "r = %.4g\tcovers %.0f %% of %s, with one answer in ten flipped %.0f %%\n", plan.Levels[k], 100*own[k], difficulty.SampleWords(plan.Problem), 100*flipped[k])
	}
	if plan.Finite != nil {
		inspectFinite(w, plan)
	}
}

// inspectGiven prints the levels of a spec that there was no time to check or to complete.
func inspectGiven(w io.Writer, levels []float64) {
	if levels == nil {
		fmt.Fprint(w, "levels\tleft out: choosing them takes longer than a look; a run chooses them, or give some by levels: in the spec\n")
		return
	}
	fmt.Fprintf(w, "levels\t%s, not checked: finding what they mean takes longer than a look\n", judge.ListLevels(levels))
}

// inspectUntrained prints what policies give on a table without training, as far as ctx leaves time for it, and the command that
// measures their worst cases, which only a problem with levels has.
func inspectUntrained(c *cobra.Command, ctx context.Context, w io.Writer, plan *run.Plan, path string) error {
	l := console.Wait(c.ErrOrStderr(), "playing games without training")
	all, err := plan.Untrained(ctx, 0)
	l.Stop()
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprint(w, "untrained\tleft out: games of policies that need no training take longer than a look\n")
		return nil
	}
	if err != nil {
		return stopped(c.Context(), err, nothing)
	}
	if len(all) == 0 {
		return nil
	}
	var names []string
	for _, u := range all {
		for _, g := range u.Gives {
			fmt.Fprintf(w, "%s\t%s: %s\n", u.Policy, g.Answers(), g.Does())
		}
		names = append(names, u.Policy)
	}
	if n := len(plan.Levels); n > 0 {
		fmt.Fprintf(w, "\tworst cases: %s eval %s --problem %s --r %.4g\n", self(), strings.Join(names, " "), table.Shell(path), plan.Levels[n/2])
	}
	return nil
}

// inspectFinite says how hard the given instances are.
func inspectFinite(w io.Writer, plan run.Plan) {
	var rho []float64
	complexity := difficulty.Of(plan.Problem)
	for _, theta := range plan.Finite {
		rho = append(rho, complexity.Of(theta))
	}
	fmt.Fprintf(w, "instances\t%d, difficulty %.4g to %.4g\n", len(rho), slices.Min(rho), slices.Max(rho))
}

// inspectLeast prints the least difficulty of p's instances. late, where not nil, is why not all were looked at.
func inspectLeast(w io.Writer, p *game.Problem, late error) {
	symbol, edge := difficulty.MeasureOf(p).Symbol, 1-game.Edge
	var some *difficulty.Unfinished
	switch {
	case errors.As(late, &some) && some.Least < math.Inf(1):
		fmt.Fprintf(w, "least %s\tat most %s (the easiest instance within ±%g of %d of the %d hypotheses: the others take longer than a look)\n",
			symbol, difficulty.Above(some.Least), edge, some.Found, some.Of)
	case some != nil || late != nil && difficulty.Large(p):
		fmt.Fprintf(w, "least %s\tleft out: the easiest instance takes longer than a look to find\n", symbol)
	case difficulty.Large(p):
		rows, rho := difficulty.Easiest(p)
		fmt.Fprintf(w, "least %s\tat most %s (the easiest instance within ±%g of a sample of %d rows)\n", symbol, difficulty.Above(slices.Min(rho)), edge, len(rows))
	default:
		fmt.Fprintf(w, "least %s\t%s (no instance within ±%g is easier)\n", symbol, difficulty.Above(difficulty.Least(p)), edge)
	}
}

// inspectEasiest looks for the easiest instances of a policy's problem for some time, and prints the least difficulty.
func inspectEasiest(c *cobra.Command, w io.Writer, p *game.Problem, within time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(c.Context(), within)
	defer cancel()
	l := console.Wait(c.ErrOrStderr(), "looking for the easiest instance")
	tell := func(share float64) { l.Tell("looking for the easiest instance", share) }
	if difficulty.Large(p) {
		err = difficulty.Look(ctx, p, tell)
	} else {
		p, err = difficulty.AnchoredTold(ctx, p, tell)
	}
	l.Stop()
	if c.Context().Err() != nil {
		return stopped(c.Context(), err, nothing)
	}
	inspectLeast(w, p, err)
	return nil
}

// inspectShape prints how large a game is.
func inspectShape(w io.Writer, p *game.Problem) {
	fmt.Fprintf(w, "problem\t%s\n", p.Name)
	if of := kindOf(p); of.shape != "" {
		fmt.Fprint(w, of.shape)
		return
	}
	fmt.Fprintf(w, "queries\t%d (%s, …)\n", p.Queries(), p.X[0])
	fmt.Fprintf(w, "hypotheses\t%d (%s, …)\n", p.Hypotheses(), p.Names[0])
	once := "queries may repeat"
	if p.AskOnce {
		once = "ask-once"
	}
	fmt.Fprintf(w, "budget\t%d, %s\n", p.T, once)
	if a := p.Answer(); len(a.Names()) == 0 { // any number
		fmt.Fprintf(w, "answers\tGaussian, standard deviation %.6g, means within ±%g\n", math.Sqrt(a.Variance(0))*a.Unit(), a.Unit())
	}
}

// ofQuestions says how many questions games have that may end early.
func ofQuestions(q *nn.Questions) string {
	if q == nil {
		return ""
	}
	return fmt.Sprintf(" of %.1f [%.1f, %.1f] questions", q.Mean, q.Lo, q.Hi)
}

// dontKnow says what that answer costs in a policy's games.
func dontKnow(cost string) string {
	if cost == nn.DontKnowSpends {
		return "spends: uses up one of the answers"
	}
	return "free: uses up no answer"
}

// inspectPolicy runs `mapo inspect POLICY`.
func inspectPolicy(c *cobra.Command, path string) error {
	net, policy, err := policies.ReadFile(path)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(console.Plain(c.OutOrStdout()), 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "policy\t%s, sound\n", policy.Name)
	fmt.Fprintf(t, "hash\t%s\n", policy.Hash)
	fmt.Fprintf(t, "network\t%s, %d weights\n", policy.Arch, len(net.Params()))
	inspectShape(t, policy.Problem)
	if err := inspectEasiest(c, t, policy.Problem, lookTime); err != nil {
		return err
	}
	fmt.Fprint(t, kindOf(policy.Problem).rows)
	fmt.Fprintf(t, "loss\t%s\n", policy.Loss)
	fmt.Fprintf(t, "don't know\t%s\n", dontKnow(policy.DontKnow))
	fmt.Fprintf(t, "rule\t%s\n", policy.Rule)
	fmt.Fprintf(t, "seed\t%d\n", policy.Seed)
	fmt.Fprintf(t, "version\t%s\n", policy.Version)
	unit := 1.0
	if loss, err := game.ParseLoss(policy.Loss); err == nil {
		unit = loss.Unit(policy.Problem)
	}
	for _, l := range policy.Levels {
		l.Estimate, l.Benchmark = l.Estimate.Times(unit), l.Benchmark*unit
		covers := ""
		if l.Covers > 0 {
			covers = fmt.Sprintf(", covers %.0f %% of the rows", 100*l.Covers)
		}
		fmt.Fprintf(t, "r = %.4g\tworst case found %.4f [%.4f, %.4f] in %d games%s, benchmark %.4f%s\n", l.Level, l.Mean, l.Lo, l.Hi, l.Games, ofQuestions(nn.QuestionsOf(l.Estimate)), l.Benchmark, covers)
	}
	given, err := judge.GivenOf(policy)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, g := range given {
		if g.Level == 0 {
			fmt.Fprintf(t, "average\t%s (%d played)\n", g.Words(), g.Games)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(policy.Trained)) {
		fmt.Fprintf(t, "%s\t%s\n", key, policy.Trained[key])
	}
	for _, n := range policy.Notes {
		fmt.Fprintf(t, "note\t%s\n", n)
	}
	for _, w := range policy.Warnings {
		fmt.Fprintf(t, "warning\t%s\n", w)
	}
	return t.Flush()
}
