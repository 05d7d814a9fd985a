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
)

// Row is one line of results.csv: one estimate, tidy. Zero values of Level, Confidence and Games, a
// negative Instance, an empty Prior and NaN anywhere mean "does not apply" and print as empty fields.
type Row struct {
	// Metric says what was estimated: one of the constants WorstCase to Minimax.
	Metric string
	// Policy is a policy file's base name (mapo, pi-3, bayes-lal) or a rival's (uniform, sgbs:0.1).
	Policy string
	// Loss is BestIdentification or SimpleRegret. Average and instance rows come in both.
	Loss string
	// Level is the r of Θ^(r); 0 or NaN for none.
	Level float64
	// Prior is what an average is over: flip:0.8, noiseless, table, users.
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
}

// header is the contract's first line.
var header = []string{"metric", "policy", "loss", "level", "prior", "instance", "mean", "lo", "hi", "confidence", "games", "seconds"}

// Header is the contract's first line without its end.
func Header() string { return strings.Join(header, ",") }

// WriteCSV writes rows under the contract's header, in the order given. Floats print in the shortest
// form that reads back as the same number (levels so as %g); seconds are rounded to milliseconds.
// A row ReadCSV would refuse is refused here, before it can reach a file.
func WriteCSV(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return fmt.Errorf("report: write results: %w", err)
	}
	for i, row := range rows {
		if err := row.check(); err != nil {
			return fmt.Errorf("report: row %d: %w", i+1, err)
		}
		if err := out.Write(row.fields()); err != nil {
			return fmt.Errorf("report: write results: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: write results: %w", err)
	}
	return nil
}

// fields is the row as results.csv prints it, in the header's order.
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

// nonzero is number where 0, too, means "does not apply".
func nonzero(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

// ReadCSV reads what WriteCSV wrote. Anything else is refused with the line it stands on. Empty
// fields come back as Level 0, Confidence 0, Games 0, Instance −1 and NaN for the other numbers.
func ReadCSV(r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1 // counted below, so that the message can say what is wanted
	in.ReuseRecord = true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("results.csv:1: empty, want the header " + strings.Join(header, ","))
	}
	if err != nil {
		return nil, fmt.Errorf("results.csv: %w", err)
	}
	if !slices.Equal(head, header) {
		return nil, fmt.Errorf("results.csv:1: the header is %.200q, want %q", strings.Join(head, ","), strings.Join(header, ","))
	}
	var rows []Row
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("results.csv: %w", err) // a ParseError names its line
		}
		line, _ := in.FieldPos(0)
		row, err := parse(fields)
		if err != nil {
			return nil, fmt.Errorf("results.csv:%d: %w", line, err)
		}
		rows = append(rows, row)
	}
}

// parse reads one record.
func parse(f []string) (Row, error) {
	if len(f) != len(header) {
		return Row{}, fmt.Errorf("%d fields, want %d", len(f), len(header))
	}
	p := fieldParser{fields: f}
	// Clones, because a field is a piece of its line and would keep all of it in memory.
	row := Row{
		Metric: strings.Clone(f[0]), Policy: strings.Clone(f[1]), Loss: strings.Clone(f[2]),
		Level: p.float(3, 0), Prior: strings.Clone(f[4]), Instance: p.count(5, -1),
		Mean: p.float(6, math.NaN()), Lo: p.float(7, math.NaN()), Hi: p.float(8, math.NaN()),
		Confidence: p.float(9, 0), Games: p.count(10, 0), Seconds: p.float(11, math.NaN()),
	}
	if p.err != nil {
		return Row{}, p.err
	}
	return row, row.check()
}

// fieldParser keeps the first fault of a record, so that parse reads as a list.
type fieldParser struct {
	fields []string
	err    error
}

// float reads field i, none if it is empty. "NaN" is refused: the contract spells it as an empty field.
func (p *fieldParser) float(i int, none float64) float64 {
	if p.fields[i] == "" {
		return none
	}
	v, err := strconv.ParseFloat(p.fields[i], 64)
	if (err != nil || math.IsNaN(v)) && p.err == nil {
		p.err = fmt.Errorf("%s is %.40q, want a number", header[i], p.fields[i])
	}
	return v
}

// count reads field i as a whole number that is not negative.
func (p *fieldParser) count(i, none int) int {
	if p.fields[i] == "" {
		return none
	}
	v, err := strconv.Atoi(p.fields[i])
	if (err != nil || v < 0) && p.err == nil {
		p.err = fmt.Errorf("%s is %.40q, want a count", header[i], p.fields[i])
	}
	return v
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
