package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mapo/game"
	"mapo/judge"
)

// runnersUp is how many models are shown besides the recommended one.
const runnersUp = 4

// Recommendation is which model of a pool is best by its labels.
type Recommendation struct {
	P      *game.Problem
	Pool   float64       // how many items the pool has
	Models []judge.Model // the best first
	Labels int           // of items in play
	Beside int           // of others
	Blind  string        // why no accuracy is known; "": it is
}

// Write prints the recommendation.
func (o *Recommendation) Write(w io.Writer) error {
	models := o.Models
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	best := models[0]
	fmt.Fprintf(t, "best model\t%s\n", o.P.Names[best.Hypothesis])
	if ties := slices.IndexFunc(models, func(m judge.Model) bool { return m.Share < best.Share }); ties > 1 {
		fmt.Fprintf(t, "\tthe labels do not tell it from %s\n", strings.Join(o.names(models[1:ties]), ", "))
	}
	where := o.where()
	fmt.Fprintf(t, "labels\t%d of %s; it predicts %d of them\n", o.Labels, where, best.Agrees)
	if o.Beside > 0 {
		fmt.Fprintf(t, "\tand %d of items that are not in play, which say nothing of which model is best\n", o.Beside)
	}
	if o.Blind == "" {
		fmt.Fprintf(t, "accuracy\t%s with 95 %% confidence, on %s\n", accuracy(best), where)
	} else {
		fmt.Fprintf(t, "accuracy\tnot estimated: %s\n", o.Blind)
	}
	if same := o.Pool - o.differ(); same > 0 {
		fmt.Fprintf(t, "\tall models agree on %g of the pool's %g items; how many of these are right is not known\n", same, o.Pool)
	}
	for k, m := range models[1:min(len(models), 1+runnersUp)] {
		head := ""
		if k == 0 {
			head = "runners-up"
		}
		fmt.Fprintf(t, "%s\t%s predicts %d of the labels", head, o.P.Names[m.Hypothesis], m.Agrees)
		if o.Blind == "" {
			fmt.Fprintf(t, "; accuracy %s", accuracy(m))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// differ returns on how many items of the pool models differ.
func (o *Recommendation) differ() (sum float64) {
	for _, w := range o.P.Weights() {
		sum += w
	}
	return sum
}

// where names the items in play.
func (o *Recommendation) where() string {
	n := len(o.P.Texts())
	if all := o.differ(); all > float64(n) {
		return fmt.Sprintf("the %d items sampled from %g on which models differ", n, all)
	}
	return fmt.Sprintf("the %d items on which models differ", n)
}

// names returns those of models.
func (o *Recommendation) names(models []judge.Model) (out []string) {
	for _, m := range models {
		out = append(out, o.P.Names[m.Hypothesis])
	}
	return out
}

// accuracy returns a model's accuracy with its interval, as text.
func accuracy(m judge.Model) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", m.Accuracy.Mean, m.Accuracy.Lo, m.Accuracy.Hi)
}
