package learn

import (
	"fmt"
	"io"
	"slices"

	"mapo/record"
)

// mostSaid is how many questions and pairs are listed.
const mostSaid = 5

// Write says what games made of a table.
func (s *Summary) Write(w io.Writer) {
	fmt.Fprintf(w, "Learned from %s of %s; %d of %s have a truth, and %d of those recommended it.\n", record.Counted(s.Answers, "answer"), record.Counted(s.Learned, "game"), s.Told, record.Counted(s.Games, "game"), s.Right)
	s.writeTold(w)
	s.writeExcluded(w)
	fmt.Fprintf(w, "People differ most from the table on:\n")
	asked := slices.DeleteFunc(slices.Clone(s.Disagreement), func(q Question) bool { return q.Count == 0 })
	for _, q := range asked[:min(mostSaid, len(asked))] {
		fmt.Fprintf(w, "  %-60s %.0f %%, inferred from %s\n", q.Text, 100*q.Share, record.Counted(q.Count, "answer"))
	}
	if len(s.Confused) > 0 {
		fmt.Fprintf(w, "Most often confused:\n")
	}
	for _, p := range s.Confused[:min(mostSaid, len(s.Confused))] {
		fmt.Fprintf(w, "  %s was taken for %s in %s\n", p.Truth, p.Recommended, record.Counted(p.Games, "game"))
	}
	if n := len(s.Unplayed); n > 0 {
		fmt.Fprintf(w, "No game was about %s, such as %s; only the disagreement changes their shares.\n", record.Counted(n, "object"), s.Unplayed[0])
	}
}

// writeTold says how often people told the truth of games with a right and with a wrong guess.
func (s *Summary) writeTold(w io.Writer) {
	wrong := s.Told - s.Right
	if u := s.Untold; u.Right+u.Wrong > 0 {
		fmt.Fprintf(w, "The truth was told of %d of %d games that guessed right, and of %d of %d that guessed wrong.\n", s.Right, s.Right+u.Right, wrong, wrong+u.Wrong)
	}
	if s.Proposed > 0 {
		fmt.Fprintf(w, "%s had an object that is only proposed, and counts once that is accepted.\n", record.Counted(s.Proposed, "game"))
	}
}

// writeExcluded says which games count for nothing.
func (s *Summary) writeExcluded(w io.Writer) {
	if s.Capped > 0 {
		fmt.Fprintf(w, "%s left out because too many came from one client.\n", record.Counted(s.Capped, "game"))
	}
	for _, a := range s.Aside {
		fmt.Fprintf(w, "%s of client %s set aside: their answers have the median log-likelihood %.2f, and 99 %% of the others are above %.2f.\n", record.Counted(a.Games, "game"), a.Client, a.Median, a.Quantile)
	}
}
