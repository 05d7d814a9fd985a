package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// unmoved is how large a query's z may be for its answers not to depend on the
// object, one-sided at 5 %.
const unmoved = 1.6448536269514722

// Idle are the queries that tell nothing apart.
type Idle struct {
	Constant []string // all objects are on the same side of ½
	Repeated []string // the same objects are above ½ as for another, named too
	// Unmoved have answers that do not depend on the object, as far as these show:
	// Pearson's χ² of homogeneity over the k objects with answers is at most
	// 1.645·√(2(k−1)) above the k−1 that chance gives.
	Unmoved []string
}

// Idle finds them.
func (t *Tabulation) Idle() Idle {
	var out Idle
	all := whole(t.Table())
	seen := map[string]string{}
	for j, name := range t.Queries {
		key := all.column(j)
		first, again := seen[key]
		switch {
		case strings.Count(key, key[:1]) == len(key):
			out.Constant = append(out.Constant, name)
		case again:
			out.Repeated = append(out.Repeated, name+" (as "+first+")")
		default:
			seen[key] = name
			if t.heterogeneity(j) <= unmoved {
				out.Unmoved = append(out.Unmoved, name)
			}
		}
	}
	return out
}

// heterogeneity returns how many standard deviations query j's χ² over the objects is
// above chance; +Inf where all answers are alike, which is a constant query's matter. A
// cell counts as many answers as are effective.
func (t *Tabulation) heterogeneity(j int) float64 {
	var yes, all, k float64
	for at := j; at < len(t.cells); at += len(t.Queries) {
		if n := t.cells[at].effective(); n > 0 {
			yes, all, k = yes+n*t.cells[at].share(), all+n, k+1
		}
	}
	p := yes / all
	if k < 2 || p == 0 || p == 1 {
		return math.Inf(1)
	}
	var sum float64
	for at := j; at < len(t.cells); at += len(t.Queries) {
		if n := t.cells[at].effective(); n > 0 {
			off := t.cells[at].share() - p
			sum += n * off * off
		}
	}
	return (sum/(p*(1-p)) - (k - 1)) / math.Sqrt(2*(k-1))
}

// ThinCells returns the cells with fewer answers of yes or no than Thin, those without
// any, and by object and by query how many there are.
func (t *Tabulation) ThinCells() (thin, empty int, byObject, byQuery []int) {
	byObject, byQuery = make([]int, len(t.Objects)), make([]int, len(t.Queries))
	for at, x := range t.cells {
		if x.known() >= float64(t.Thin) {
			continue
		}
		thin++
		if x.known() == 0 {
			empty++
		}
		byObject[at/len(t.Queries)]++
		byQuery[at%len(t.Queries)]++
	}
	return thin, empty, byObject, byQuery
}

// listed is how many names a line of the report has.
const listed = 5

// Report writes what is to be known of the answers, in lines of text.
func (t *Tabulation) Report(w io.Writer) error {
	var b strings.Builder
	say := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	half := ""
	if t.Half > 0 {
		half = fmt.Sprintf(", %d probably or probably not (each counts 1/2)", t.Half)
	}
	say("%d answers about %d objects to %d queries: %d yes, %d no%s, %d unknown", t.Rows, len(t.Objects), len(t.Queries), t.Yes, t.No, half, t.Unknown)
	if t.Zeros > 0 {
		say("assumed: 0 means no, as no answer is -1 (%d answers)", t.Zeros)
	}
	if t.Untold > 0 {
		say("left out: %d answers of sessions whose truth was not told", t.Untold)
	}
	if t.Smooth > 0 {
		say("P(yes) = (yes + %g·m)/(yes + no + %g), m the query's share of yes over all objects; unknown counts for neither", t.Smooth, t.Smooth)
	} else {
		say("P(yes) = yes/(yes + no), 1/2 where no one answered; unknown counts for neither")
	}
	thin, empty, byObject, byQuery := t.ThinCells()
	say("%d of %d cells are thin, with fewer than %d answers of yes or no; %d have none", thin, len(t.cells), t.Thin, empty)
	if thin > 0 {
		say("  objects with most: %s", strings.Join(top(t.Objects, byObject), ", "))
		say("  queries with most: %s", strings.Join(top(t.Queries, byQuery), ", "))
	}
	t.doubts(say)
	idle := t.Idle()
	group := func(list []string, one, many string) {
		if n := len(list); n == 1 {
			say("1 query %s: %s", one, list[0])
		} else if n > 1 {
			say("%d queries %s: %s", n, many, short(list))
		}
	}
	group(idle.Constant, "puts all objects on one side of 1/2", "put all objects on one side of 1/2")
	group(idle.Repeated, "tells apart what another does", "tell apart what another does")
	group(idle.Unmoved, "has answers that do not depend on the object, as far as they show (χ² test, 5 %)", "have answers that do not depend on the object, as far as they show (χ² test, 5 %)")
	if len(idle.Constant)+len(idle.Repeated)+len(idle.Unmoved) == 0 {
		say("every query tells some objects apart")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// doubts calls say with each line of the report's part on annotators.
func (t *Tabulation) doubts(say func(format string, a ...any)) {
	if t.Annotators == nil {
		return
	}
	var bad []Annotator
	for _, a := range t.Annotators {
		if a.Doubtful() {
			bad = append(bad, a)
		}
	}
	say("%d annotators, of whom %d disagree with everybody: κ with the majority of the others below %g at the upper end of its 95 %% interval, %d or more answers compared",
		len(t.Annotators), len(bad), doubtful, fewest)
	slices.SortStableFunc(bad, func(a, b Annotator) int { return cmp.Compare(a.Kappa, b.Kappa) })
	for i, a := range bad {
		if i == 2*listed {
			say("  and %d more", len(bad)-i)
			break
		}
		say("  %s: %d answers, agrees in %d of %d, κ = %.2f [%.2f, %.2f]", a.Name, a.Answers, a.Agreed, a.Compared, a.Kappa, a.Lo, a.Hi)
	}
}

// top returns the names with the largest counts, and those.
func top(names []string, count []int) (out []string) {
	order := upTo(len(names))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	for _, i := range order[:min(len(order), listed)] {
		if count[i] > 0 {
			out = append(out, fmt.Sprintf("%s (%d)", names[i], count[i]))
		}
	}
	return out
}

// short returns a list in one line: its first few entries, and how many more there are.
func short(list []string) string {
	if len(list) <= listed {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:listed], ", "), len(list)-listed)
}
