package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/record"
)

// rowsRun is a run on the rows of a table: mapo, an accurate rival and a robust one.
func rowsRun() *Run {
	run := &Run{
		Name: "animals-1a2b3c4d", Title: "animals", Queries: 116, Hypotheses: 126, Budget: 20, AskOnce: true, Loss: BestIdentification,
		Levels: []float64{8, 16}, Scale: "desk",
		Coverage: []Cover{{Level: 8, Own: 0.01}, {Level: 16, Own: 0.69, Flipped: 0.02}},
	}
	add := func(metric, policy, prior string, level, mean float64) {
		run.Rows = append(run.Rows, Row{
			Metric: metric, Policy: policy, Loss: BestIdentification, Level: level, Prior: prior, Instance: -1,
			Mean: mean, Lo: mean - 0.01, Hi: mean + 0.01, Confidence: 0.95, Games: 1000, Seconds: math.NaN(),
		})
	}
	for k, policy := range []string{Mapo, "pi-2", "information:0.03", "uniform"} {
		add(WorstCase, policy, "", 8, []float64{0.35, 0.3, 0.95, 0.4}[k])
		add(WorstCase, policy, "", 16, []float64{0.72, 0.6, 0.98, 0.7}[k])
		for _, prior := range []string{"table", "table+flip:0.1", "answers:theirs", "answers:theirs, worst tenth"} {
			add(Average, policy, prior, 0, []float64{0.08, 0.01, 0.02, 0.45}[k]+0.01*float64(len(prior)))
		}
	}
	return run
}

func TestHeadline(t *testing.T) {
	run := rowsRun()
	want := []string{
		"If answers are as the table says: mapo is right in 87.0 % [86.0, 88.0] of games after 20 questions. " +
			"The best alternative, information:0.03, is right in 93.0 % [92.0, 94.0].",
		"If one answer in ten is wrong: mapo is right in 78.0 % [77.0, 79.0]. The best alternative, information:0.03, is right in 84.0 % [83.0, 85.0].",
		"With the answers of theirs: mapo is right in 78.0 % [77.0, 79.0]. The best alternative, information:0.03, is right in 84.0 % [83.0, 85.0].",
		"At worst, at difficulty up to 16, which covers 69 % of the table’s rows: mapo is right in 28.0 % [27.0, 29.0]. " +
			"The best alternative, uniform, is right in 30.0 % [29.0, 31.0].",
	}
	if got := run.Headline(); !slices.Equal(plainSpaces(got), want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	g := (page{Run: run}).Gives()
	if want := []string{"answers", "mapo", "most robust rival, uniform", "most accurate rival, information:0.03"}; !slices.Equal(g.Head, want) {
		t.Errorf("the columns are %q, want %q", g.Head, want)
	}
	if len(g.Cells) != 4 || !slices.Equal(plainSpaces(g.Cells[3]), []string{"the worst case found, up to r = 16 (69 % of the rows)", "28.0 % [27.0, 29.0]", "30.0 % [29.0, 31.0]", "2.0 % [1.0, 3.0]"}) {
		t.Errorf("the table is %q", g.Cells)
	}
	var page bytes.Buffer
	if err := HTML(&page, run); err != nil {
		t.Fatal(err)
	}
	lines := page.String()
	for _, want := range []string{"as the table says", "What each policy gives", `id="coverage"`, `id="noise"`, "mapo play policies/mapo.safetensors"} {
		if !strings.Contains(lines, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if first, lead := strings.Index(lines, "as the table says"), strings.Index(lines, "A policy that chooses"); first > lead {
		t.Error("the answer does not come first")
	}
}

// TestPageOfStops: where games end early, the first sentence, the tables and the text say how many questions they have.
func TestPageOfStops(t *testing.T) {
	run := rowsRun()
	for i := range run.Rows {
		run.Rows[i].Questions = record.Questions{Mean: 13.94, Lo: 13.8, Hi: 14.1}
	}
	theta := make([]float64, run.Queries)
	run.Worst = []Worst{{Worst: record.Worst{Level: 8, Theta: theta, Estimate: record.Estimate{Questions: record.Questions{Mean: 17.5, Lo: 17, Hi: 18}}}, Policy: Mapo}}
	if got := plainSpaces(run.Headline())[0]; !strings.Contains(got, "87.0 % [86.0, 88.0] of games after 13.9 questions on average. The best") {
		t.Errorf("the headline is %q", got)
	}
	g := (page{Run: run}).Gives()
	if last := len(g.Head) - 1; g.Head[last] != "questions, mapo" || g.Cells[3][last] != "13.9 [13.8, 14.1]" {
		t.Errorf("the table is %q, %q", g.Head, g.Cells)
	}
	var page bytes.Buffer
	if err := HTML(&page, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"after at most 20 questions, this", `<th scope="col">questions</th><th scope="col">best rival`, "<td>13.9 [13.8, 14.1]</td>", "<td>17.5 [17.0, 18.0]</td>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestHeadlineOfOthers: without rows, or with another loss, nothing is said.
func TestHeadlineOfOthers(t *testing.T) {
	run := rowsRun()
	run.Loss = SimpleRegret
	if got, table := run.Headline(), (page{Run: run}).Gives(); got != nil || table != nil {
		t.Errorf("of regret: %q, %v", got, table)
	}
	run = rowsRun()
	run.Rows, run.Coverage = where(run.Rows, func(r Row) bool { return r.Metric == WorstCase }), nil
	if got, table := run.Headline(), (page{Run: run}).Gives(); got != nil || table != nil {
		t.Errorf("of majorities: %q, %v", got, table)
	}
}

func TestDifficultyInWords(t *testing.T) {
	got := Difficulty("theirs", []float64{math.Inf(1), 20, 10, 40})
	if want := "theirs: its 4 rows have difficulty 10 at 5 %, 10 at 25 %, 20 at 50 % and 40 at 75 % of them; for 25 % another object is nearer"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// plainSpaces are texts with ordinary spaces.
func plainSpaces(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, strings.ReplaceAll(text, "\u00a0", " "))
	}
	return out
}

// TestScreened: a worst case that a short search found is the best alternative nowhere: not in the first lines, the tables, the
// comparisons, the line of the frontier or the figure of rivals. Tables that have it mark it, and a reader learns why.
func TestScreened(t *testing.T) {
	run := rowsRun()
	if text := strings.Join((page{Run: run}).Limits(), " "); strings.Contains(text, "short search") {
		t.Errorf("said of rivals that were all searched in full: %s", text)
	}
	for _, row := range slices.Clone(run.Rows) {
		if row.Policy != "uniform" {
			continue
		}
		row.Policy, row.Mean, row.Lo, row.Hi = "uniform+posterior", row.Mean-0.2, row.Lo-0.2, row.Hi-0.2
		if row.Metric == WorstCase {
			row.Effort = ScreenEffort
		}
		run.Rows = append(run.Rows, row)
	}
	if best, ok := run.BestRival(16); !ok || best.Policy != "uniform" {
		t.Errorf("the best rival is %s", best.Policy)
	}
	if got := run.Headline(); !strings.HasSuffix(plainSpaces(got)[3], "The best alternative, uniform, is right in 30.0 % [29.0, 31.0].") {
		t.Errorf("the headline is %q", got[3])
	}
	if got := plainSpaces(run.Headline())[0]; !strings.Contains(got, "information:0.03") { // averages are of full games
		t.Errorf("the headline is %q", got)
	}
	if got := (page{Run: run}).Promises(); got[1].Rival != "uniform" {
		t.Errorf("the table of worst cases has %+v", got[1])
	}
	for _, v := range (page{Run: run}).Verdicts() {
		if strings.Contains(strings.Join(v.Cases, " "), "r\u00a0=") && strings.Contains(strings.Join(v.Cases, " "), "uniform+posterior") {
			t.Errorf("compared: %+v", v)
		}
	}
	for _, v := range run.frontier() {
		if len(v.spots) != 4+1 || slices.ContainsFunc(v.hull(), func(s spot) bool { return s.screened }) {
			t.Errorf("%s has %d policies and the line %+v", v.label, len(v.spots), v.hull())
		}
	}
	figures := figuresOf(t, run)
	rivals := figures["rivals"]
	if strings.Contains(rivals.drawn[0].text, "uniform+posterior") || !strings.Contains(rivals.caption, "in the table alone") {
		t.Errorf("the figure of rivals draws it, or does not say so: %s", rivals.caption)
	}
	for _, name := range []string{"rivals", "frontier"} {
		marked := 0
		for _, line := range figures[name].rows {
			if is := line[0] == "uniform+posterior"; is != (line[len(line)-1] == ScreenEffort) {
				t.Errorf("%s: %q", name, line)
			} else if is {
				marked++
			}
		}
		if marked == 0 {
			t.Errorf("%s lacks it", name)
		}
	}
	if text := strings.Join((page{Run: run}).Limits(), " "); !strings.Contains(text, "looser lower bounds") {
		t.Errorf("not said: %s", text)
	}
	g := (page{Run: run}).Gives()
	if slices.Contains(g.Head, "most robust rival, uniform+posterior") {
		t.Errorf("the columns are %q", g.Head)
	}
}

// TestScreenedColumn: where the most accurate rival was screened, its worst case says so.
func TestScreenedColumn(t *testing.T) {
	run := rowsRun()
	for i := range run.Rows {
		if row := &run.Rows[i]; row.Policy == "information:0.03" && row.Metric == WorstCase {
			row.Effort = ScreenEffort
		}
	}
	if got := plainSpaces((page{Run: run}).Gives().Cells[3])[3]; got != "2.0 % [1.0, 3.0], short search" {
		t.Errorf("it is %q", got)
	}
}

// TestPoolHeadline: the page of a pool speaks of items, models, labels and points of accuracy.
func TestPoolHeadline(t *testing.T) {
	run := &Run{
		Name: "pool-1a2b3c4d", Title: "pool", Queries: 90, Hypotheses: 5, Items: 52, Pool: 60, Words: (&game.Labels{}).Words(), Answers: "classes", Budget: 20, Loss: SimpleRegret,
		Levels: []float64{8, 16}, Scale: "desk",
	}
	add := func(metric, policy, prior string, level, mean float64) {
		run.Rows = append(run.Rows, Row{
			Metric: metric, Policy: policy, Loss: SimpleRegret, Level: level, Prior: prior, Instance: -1,
			Mean: mean, Lo: mean - 0.06, Hi: mean + 0.06, Confidence: 0.95, Games: 1000, Seconds: math.NaN(),
		})
	}
	for k, policy := range []string{Mapo, "model-selector:0.46"} {
		add(WorstCase, policy, "", 8, []float64{3, 4.5}[k])
		add(WorstCase, policy, "", 16, []float64{6, 9}[k])
		add(Average, policy, "votes", 0, []float64{0.6, 0.3}[k])
	}
	want := []string{
		"If classes are as the models vote: mapo is 1.00 [0.90, 1.10] points of accuracy short of the best after 20 labels. " +
			"The best alternative, model-selector:0.46, is 0.50 [0.40, 0.60] points of accuracy short of the best.",
		"At worst, at difficulty up to 8: mapo is 5.00 [4.90, 5.10] points of accuracy short of the best. " +
			"The best alternative, model-selector:0.46, is 7.50 [7.40, 7.60] points of accuracy short of the best.",
		"At worst, at difficulty up to 16: mapo is 10.00 [9.90, 10.10] points of accuracy short of the best. " +
			"The best alternative, model-selector:0.46, is 15.00 [14.90, 15.10] points of accuracy short of the best.",
	}
	if got := run.Headline(); !slices.Equal(plainSpaces(got), want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var page bytes.Buffer
	if err := HTML(&page, run); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"which of 52 items, on which 5 models differ, gets a label next", "with 20 labels", "on how many of the pool’s 60 items more the best model is right",
		"How many points of accuracy on the pool", "lower is better", "<dt>pool</dt><dd>60 items</dd>", "<dt>items</dt><dd>52</dd>", "a distribution over the classes for each item",
	} {
		if !strings.Contains(page.String(), text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	for _, text := range []string{"games that end right", "higher is better", "quer"} {
		if at := strings.Index(page.String(), text); at >= 0 {
			t.Errorf("the page says %q: …%s…", text, page.String()[max(0, at-80):min(page.Len(), at+80)])
		}
	}
}
