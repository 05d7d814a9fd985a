package dataset

import (
	"cmp"
	"slices"
	"strings"

	"mapo/game/sim"
)

// Annotator is one person's answers beside everybody else's.
type Annotator struct {
	Name     string
	Answers  int // unknown ones, too
	Compared int // answers, half ones by their side, where the others have a majority
	Agreed   int // of these, with the majority
	// Kappa is Cohen's κ between the annotator and the majority of the others: 1 is
	// always the same, 0 what chance gives two who say yes as often as these, below 0
	// less than that. [Lo, Hi] is its 95 % interval, from Wilson's for the share of
	// agreement with chance's share taken as known. All are 0 where Compared is.
	Kappa, Lo, Hi float64
	yes, most     int // of the compared: said yes, majority yes
}

// An annotator is doubted who was compared at least fewest times and whose κ is
// below doubtful even at the upper end of its interval ("slight" agreement in Landis
// and Koch 1977).
const (
	doubtful = 0.2
	fewest   = 10
)

// Doubtful reports whether the annotator's answers have next to nothing to do with
// the others': at least 10 were compared, and κ is below .2 at the upper end of its
// interval. That is so of random answers, of always the same answer, and of yes and
// no interchanged.
func (a Annotator) Doubtful() bool { return a.Compared >= fewest && a.Hi < doubtful }

// agreement is the second reading: by then it is known what the others said.
type agreement struct {
	*counter
	at   map[string]int
	list []Annotator
}

// compare takes one answer in, its own vote left out of the majority.
func (g *agreement) compare(l *lines, a answer) error {
	if a.session && !a.annotated {
		return nil
	}
	object, known := g.objects[a.object]
	query, asked := g.queries[a.query]
	switch {
	case !known || !asked || !a.annotated:
		return l.fault(changed)
	case a.annotator == "":
		return l.fault("the annotator has no name: write one, or leave the column out")
	}
	i, ok := g.at[a.annotator]
	if !ok {
		if i = len(g.list); i >= mostAnnotators {
			return l.fault("more than %d annotators: is this column the annotator?", mostAnnotators)
		}
		name := strings.Clone(a.annotator)
		g.at[name], g.list = i, append(g.list, Annotator{Name: name})
	}
	who := &g.list[i]
	who.Answers++
	if a.is == isUnknown {
		return nil
	}
	others := g.t.cells[object*len(g.t.Queries)+query]
	if others[a.is] == 0 { // the first reading met no such answer
		return l.fault(changed)
	}
	others[a.is]--
	yes, no := others.said()
	if yes == no {
		return nil
	}
	who.Compared++
	saidYes := a.is == isYes || a.is == isProbably
	if (yes > no) == saidYes {
		who.Agreed++
	}
	if saidYes {
		who.yes++
	}
	if yes > no {
		who.most++
	}
	return nil
}

// sorted completes the annotators.
func (g *agreement) sorted() []Annotator {
	for i := range g.list {
		g.list[i].kappa()
	}
	slices.SortFunc(g.list, func(a, b Annotator) int {
		return cmp.Or(cmp.Compare(b.Answers, a.Answers), strings.Compare(a.Name, b.Name))
	})
	return g.list
}

// kappa fills in κ and its interval.
func (a *Annotator) kappa() {
	n := float64(a.Compared)
	if n == 0 {
		return
	}
	yes, most := float64(a.yes)/n, float64(a.most)/n
	chance := yes*most + (1-yes)*(1-most)
	if chance > 1-1e-12 {
		// Both always say the same one thing: agreement, but it may be a
		// coincidence.
		a.Kappa, a.Lo, a.Hi = 0, -1, 1
		return
	}
	lo, hi := sim.Wilson(float64(a.Agreed)/n, n)
	of := func(share float64) float64 { return (share - chance) / (1 - chance) }
	a.Kappa, a.Lo, a.Hi = of(float64(a.Agreed)/n), of(lo), of(hi)
}
