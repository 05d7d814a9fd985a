package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mapo/record"
)

// Row is one line of results.csv: one estimate, tidy. Zero values of Level, Confidence and Games, a
// negative Instance, an empty Prior and NaN anywhere mean "does not apply" and print as empty fields.
//
// The columns are metric,policy,loss,level,prior,instance,mean,lo,hi,confidence,games,seconds.
// Where games end early questions,questions_lo,questions_hi follow, and where rivals were screened
// effort. Where hypotheses are rows and the spec's loss is identification, averages carry that loss
// alone. A gap is against the least worst case of every policy of the run at that level. A problem
// that is certified in seconds has one minimax row a level.
type Row struct {
	// Metric says what was estimated: worst-case, average, gap, instance or minimax.
	Metric string
	// Policy is a policy file's base name (mapo, pi-3, bayes-lal) or a rival's (uniform, sgbs:0.1).
	Policy string
	// Loss is best-identification or simple-regret. Average and instance rows come in both.
	Loss string
	// Level is the r of Θ^(r); 0 or NaN for none.
	Level float64
	// Prior is what an average is over: flip:0.8, noiseless, table, users, or another source's
	// answers, answers:OTHER.
	Prior string
	// Instance is a row of a file of instances, counted from 0; −1 for none. Mind the zero value.
	Instance int
	// Mean is the estimate, [Lo, Hi] its interval; for Minimax Mean is NaN and [Lo, Hi] the bracket.
	Mean, Lo, Hi float64
	// Confidence is [Lo, Hi]'s, two-sided; 1 where nothing is random (exact values, minimax brackets).
	Confidence float64
	// Games is how many games the mean is over; 0 for exact values.
	Games int
	// Seconds is the only field that may differ between equal runs.
	Seconds float64
	// Questions is the expected number of questions of a game; its zero value where games do not end early.
	Questions record.Questions
	// Effort is [ScreenEffort] where a worst case is from a short search, so that its bound is looser than those of other
	// policies; else empty.
	Effort string
}

// ScreenEffort is that of short searches: of rivals that differ from a better one in their decision alone.
const ScreenEffort = "smoke"

// Screened reports whether the row is from a short search.
func (row Row) Screened() bool { return row.Effort != "" }

// header is the contract's first line.
var header = []string{"metric", "policy", "loss", "level", "prior", "instance", "mean", "lo", "hi", "confidence", "games", "seconds"}

// stopped are the columns behind it where some games end early.
var stopped = []string{"questions", "questions_lo", "questions_hi"}

// effort is the column behind these where some worst cases are from short searches.
const effort = "effort"

// Header returns what the contract's first line begins with.
func Header() string { return strings.Join(header, ",") }

// WriteCSV writes rows under the contract's header, in the order given. It has the columns of questions and
// of the effort where a row has any. Floats print in the shortest form that reads back as the same number (levels so as %g);
// seconds are rounded to milliseconds.
// A row that breaks the contract is refused, before it can reach a file.
func WriteCSV(w io.Writer, rows []Row) error {
	out, head, stops, screened := csv.NewWriter(w), slices.Clone(header), Stops(rows), slices.ContainsFunc(rows, Row.Screened)
	if stops {
		head = append(head, stopped...)
	}
	if screened {
		head = append(head, effort)
	}
	_ = out.Write(head) // its errors stay
	for i, row := range rows {
		if err := row.check(); err != nil {
			return fmt.Errorf("report: row %d: %w", i+1, err)
		}
		fields := row.fields()
		if stops {
			q := row.Questions
			fields = append(fields, nonzero(q.Mean), nonzero(q.Lo), nonzero(q.Hi))
		}
		if screened {
			fields = append(fields, row.Effort)
		}
		_ = out.Write(fields)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: write results: %w", err)
	}
	return nil
}

// Stops reports whether a row is of games that may end early.
func Stops(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Questions != record.Questions{} })
}

// fields returns the row as results.csv prints it, in the header's order.
func (row Row) fields() []string {
	instance, games := "", ""
	if row.Instance >= 0 {
		instance = strconv.Itoa(row.Instance)
	}
	if row.Games > 0 {
		games = strconv.Itoa(row.Games)
	}
	return []string{
		row.Metric, row.Policy, row.Loss, nonzero(row.Level), row.Prior, instance,
		number(row.Mean), number(row.Lo), number(row.Hi), nonzero(row.Confidence), games,
		number(math.Round(row.Seconds*1000) / 1000),
	}
}

// number prints v as %g does, or nothing for NaN.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// nonzero prints v as number does, but nothing for 0 either, which means "does not apply".
func nonzero(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

// check holds a row to the contract: known words, finite numbers, an interval the right way round.
func (row Row) check() error {
	switch {
	case !slices.Contains([]string{WorstCase, Average, Gap, Instance, Minimax}, row.Metric):
		return fmt.Errorf("unknown metric %.40q", row.Metric)
	case row.Loss != BestIdentification && row.Loss != SimpleRegret:
		return fmt.Errorf("unknown loss %.40q", row.Loss)
	case row.Policy == "" && row.Metric != Minimax:
		return errors.New("no policy")
	case strings.ContainsFunc(row.Policy+row.Prior, unicode.IsControl):
		return fmt.Errorf("control characters in policy %.40q or prior %.40q", row.Policy, row.Prior)
	case row.Level < 0:
		return fmt.Errorf("level is %v, want a positive number", row.Level)
	case row.Lo > row.Hi:
		return fmt.Errorf("the interval is [%v, %v]", row.Lo, row.Hi)
	case row.Confidence < 0 || row.Confidence > 1:
		return fmt.Errorf("confidence is %v, want (0, 1]", row.Confidence)
	case !(row.Questions.Lo <= row.Questions.Mean && row.Questions.Mean <= row.Questions.Hi):
		return fmt.Errorf("questions are %v", row.Questions)
	case row.Effort != "" && row.Effort != ScreenEffort:
		return fmt.Errorf("unknown effort %.40q", row.Effort)
	case row.Games < 0:
		return fmt.Errorf("games is %d", row.Games)
	case row.Seconds < 0:
		return fmt.Errorf("seconds is %v", row.Seconds)
	}
	// A level may be +Inf (Θ itself); a loss may not.
	for _, v := range []float64{row.Mean, row.Lo, row.Hi, row.Seconds} {
		if math.IsInf(v, 0) {
			return errors.New("mean, lo, hi and seconds are finite or empty")
		}
	}
	return nil
}
