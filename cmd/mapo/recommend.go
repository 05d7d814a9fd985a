package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/rival"
	"mapo/report"
	"mapo/serve/policies"
	"mapo/spec"
)

// recommendation holds the flags of `mapo recommend`.
type recommendation struct {
	labels  string
	explore float64
	asked   bool // --explore is given
	out     string
}

func recommendCommand() *cobra.Command {
	var r recommendation
	c := &cobra.Command{
		Use:   "recommend POLICY|SPEC --labels LABELS.csv",
		Short: "The best model of a pool by the labels so far, and how accurate it is",
		Long: `recommend names the model of a pool that predicts the labels best. SPEC has a problem of classifiers, and
POLICY was trained for one. LABELS.csv has the header item,class or item,class,propensity, and a row for
each label in the order in which the items were asked, as play and serve export it.

Items are chosen where models differ, so the share of labels that a model predicts says little about its
accuracy. With propensities, and a share of the items drawn uniformly (play and serve: --explore),
recommend estimates the accuracy on the items on which models differ, with a 95 % interval. Where the
propensities do not show such a share it says so instead; with --explore given, they are refused.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error {
			r.asked = c.Flags().Changed("explore")
			if r.explore >= 0 && r.explore <= 1 {
				return r.recommend(c, list[0])
			}
			return fmt.Errorf("--explore is %g; the share of questions that were drawn uniformly is from 0 to 1", r.explore)
		},
	}
	f := c.Flags()
	f.StringVar(&r.labels, "labels", "", "the labels so far, a CSV file of item,class[,propensity]")
	f.Float64Var(&r.explore, "explore", 0.1, "the share of the questions that was drawn uniformly, as play and serve were told; 0: none, and no accuracy is estimated")
	f.StringVar(&r.out, "write", "", "write a class for every item of the pool to this CSV file, which must not exist")
	return c
}

// candidates are what is chosen from.
type candidates struct {
	p    *game.Problem
	by   game.Decider
	pool *spec.Pool // nil: of a policy file
}

// recommend runs `mapo recommend`.
func (r *recommendation) recommend(c *cobra.Command, path string) error {
	if r.labels == "" {
		return hint(c, errors.New("--labels is missing: name the CSV file of the labels so far"))
	}
	out := disk.Output{Flag: "--write", Path: r.out}
	if err := errors.Join(commas(out), out.Vacant()); err != nil {
		return err
	}
	from, err := candidatesOf(c, path)
	if err != nil {
		return err
	}
	if r.out != "" && from.pool == nil {
		return fmt.Errorf("--write needs the predictions for all items, and a policy file has none: name the spec in place of %s", path)
	}
	file, err := dataset.ReadItemLabels(r.labels)
	if err != nil {
		return err
	}
	labels, beside, err := from.match(file)
	if err != nil {
		return err
	}
	if len(labels) == 0 {
		return fmt.Errorf("%s has no label of an item on which models differ; without one no model can be told from another", r.labels)
	}
	models, blind, err := r.models(from, labels, file)
	if err != nil {
		return err
	}
	shown := report.Recommendation{P: from.p, Pool: kindOf(from.p).pool, Models: models, Labels: len(labels), Beside: beside, Blind: blind}
	if err := shown.Write(console.Plain(c.OutOrStdout())); err != nil || r.out == "" {
		return err
	}
	return r.writeClasses(c.ErrOrStderr(), from, models[0], file)
}

// models ranks the models. blind says why no accuracy is estimated; "": it is.
func (r *recommendation) models(from candidates, labels []judge.Labelled, file *dataset.ItemLabels) (models []judge.Model, blind string, err error) {
	floor := r.explore
	switch {
	case !file.Logged:
		floor, blind = 0, "the labels have no propensities, and their items were chosen to tell models apart"
	case floor == 0:
		blind = "no share of the questions was drawn uniformly, and items were chosen to tell models apart"
	}
	models, err = judge.Models(from.p, from.by, labels, floor)
	switch {
	case err != nil && r.asked:
		return nil, "", fmt.Errorf("%s: %w. Lower --explore; with --explore 0 no accuracy is estimated", file.Name, err)
	case err != nil:
		blind = err.Error() + ". Games of play and serve with --explore draw such a share"
		models, err = judge.Models(from.p, from.by, labels, 0)
	}
	return models, blind, err
}

// candidatesOf reads a policy file or a SPEC. A policy decides by its own rule. Where the SPEC names no decision, that of the policy
// that plays it untrained is taken, so that play and recommend name the same model.
func candidatesOf(c *cobra.Command, path string) (out candidates, err error) {
	var rule string
	var loss game.Loss
	if strings.HasSuffix(path, policySuffix) {
		_, contract, err := policies.ReadFile(path)
		if err != nil {
			return out, err
		}
		out.p, rule = contract.Problem, cmp.Or(contract.Decision, decision.LeastSquares)
		if loss, err = game.ParseLoss(contract.Loss); err != nil {
			return out, fmt.Errorf("%s: %w", path, err)
		}
	} else {
		s, err := read(c, path, spec.Override{})
		if err != nil {
			return out, err
		}
		tellData(s, func(text string) { fmt.Fprintln(console.Plain(c.ErrOrStderr()), text) })
		if out.p, out.pool, loss = s.Problem, s.Pool, s.Loss; s.Says("decision") {
			rule = cmp.Or(s.Decision, decision.LeastSquares)
		}
	}
	switch {
	case !kindOf(out.p).items:
		return out, fmt.Errorf("%s is not about classifiers on a pool of items, whose labels recommend reads; such a spec has problem: {classifiers: predictions.csv}", path)
	case rule != "":
		out.by, err = decision.New(out.p, loss, rule)
		return out, err
	}
	policy, err := (&source{}).policy(c.Context(), out.p, loss, rival.Unnamed(out.p), "")
	if err == nil {
		out.by = game.DeciderOf(out.p, policy)
	}
	return out, err
}

// match finds the items and classes of labels in the pool. beside is how many are of items that are not in play.
func (o *candidates) match(file *dataset.ItemLabels) (labels []judge.Labelled, beside int, err error) {
	names := o.p.Answer().Names()
	items, classes := indices(o.p.Texts()), indices(names)
	var all map[string]int
	if o.pool != nil {
		all = indices(o.pool.Items)
	}
	for k, label := range file.List {
		class, ok := classes[label.Class]
		if !ok {
			return nil, 0, file.Fault(k, "%s is not one of the pool's %d classes%s; correct it, or list it in the spec's classes", table.Quote(label.Class), len(names), dataset.Near(label.Class, names))
		}
		at, inPlay := items[label.Item]
		if _, known := all[label.Item]; !inPlay && !known {
			where := "the pool"
			if o.pool == nil {
				where = "the items on which the policy's models differ"
			}
			return nil, 0, file.Fault(k, "item %s is not one of %s%s; correct it or remove the row", table.Quote(label.Item), where, dataset.Near(label.Item, o.p.Texts()))
		}
		if !inPlay {
			beside++
			continue
		}
		labels = append(labels, judge.Labelled{Item: at, Class: class, Propensity: label.Propensity})
	}
	return labels, beside, nil
}

// indices returns where texts stand.
func indices(list []string) map[string]int {
	out := make(map[string]int, len(list))
	for i, text := range list {
		out[text] = i
	}
	return out
}

// writeClasses writes a class for every item: its label, else the prediction of the best model.
func (r *recommendation) writeClasses(w io.Writer, from candidates, best judge.Model, file *dataset.ItemLabels) error {
	known := make(map[string]string, len(file.List))
	for _, label := range file.List {
		known[label.Item] = label.Class
	}
	model := from.pool.Made.Model[best.Hypothesis]
	if err := (disk.Output{Flag: "--write", Path: r.out}).Create(nil, from.pool.Completed(model, known)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s: %d items, %d with their labels and the others as %s predicts\n", r.out, len(from.pool.Items), len(known), from.pool.Models[model])
	return err
}
