package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	describe "mapo/run/plan"
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
	describe.DescribeShape(t, plan.Problem)
	describe.DescribeLeast(t, plan.Problem, late)
	describe.DescribeRows(t, plan.Problem)
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
		describe.DescribeGiven(t, plan.Levels)
	default:
		describe.DescribeLevels(t, plan)
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
	describe.DescribeLeast(w, p, err)
	return nil
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
	describe.DescribeShape(t, policy.Problem)
	if err := inspectEasiest(c, t, policy.Problem, lookTime); err != nil {
		return err
	}
	describe.DescribeRows(t, policy.Problem)
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
