package report

import (
	"fmt"
	"math"
	"slices"

	"mapo/difficulty"
	"mapo/game"
	"mapo/record"
)

// The metrics and losses a Row may carry (the results.csv contract).
const (
	WorstCase = "worst-case" // ℓ(π, Θ^(r)), the worst found by the search and replayed on fresh games
	Average   = "average"    // the mean over a prior
	Gap       = "gap"        // worst case minus the least worst case of every policy of the run
	Instance  = "instance"   // ℓ(π, θ) of one given instance
	Minimax   = "minimax"    // a certified bracket [lo, hi] of min_π max_θ ℓ

	BestIdentification = "best-identification"
	SimpleRegret       = "simple-regret"
)

// Mapo is the policy file's base name under which π̂ appears in rows, curves and worst cases.
const Mapo = record.PiHat

// Experiments of the paper, for [Run.Experiment]. Birds stands in for 20 Questions.
const (
	Thresholds = "thresholds"
	TwentyQ    = "twentyq"
	Jester     = "jester"
	Birds      = "birds"
)

// Run is all a report shows. Fields left zero are left out of the report.
type Run struct {
	Name       string             // the run folder's name
	Title      string             // the page's heading; Name where empty
	Experiment string             // which of the paper's this is, or empty
	Words      *game.Words        // how the kind of problem is spoken of; nil: as [game.Majorities]
	Measure    difficulty.Measure // the difficulty by which levels are given; zero: ρ̃
	Answers    string             // what answers are assumed to be; empty: yes or no
	Queries    int                // |𝒳|
	Hypotheses int                // |𝒵|
	Items      int                // what is asked about; of a pool the items on which models differ
	Pool       float64            // how many items it has; a regret of so many is an accuracy of 0 beside one of 1
	Budget     int                // T
	AskOnce    bool               // no query is repeated
	Stopping   string             // the rule by which games end early, by its name, or empty
	Loss       string             // the loss that was trained and searched for
	// mapo was trained for (1−Weight)·(worst gap) + Weight·(mean loss over the prior Average). Where Weight is 0,
	// Average may still name the prior that the frontier is drawn over; empty: one of those averaged over.
	Average string
	Weight  float64
	// Levels is the ladder r_1 < … < r_K. pi-k in figures and text is taken to be trained for Levels[k-1].
	Levels []float64
	// Coverage has a line a level where the hypotheses are a table's rows; else it is nil.
	Coverage   []Cover
	LevelsNote string   // how the levels were chosen, if none were given
	Notes      []string // what is worth knowing of the problem, each one line
	Seed       uint64
	Scale      string // smoke, desk or paper
	Rows       []Row  // results.csv
	// Curves and Worst are in any order; the report has its own.
	Curves     []Curve
	Worst      []Worst
	QueryTexts []string // [|𝒳|] or nil
	// HypothesisTexts has one text a hypothesis, or is nil.
	HypothesisTexts []string
	// Warnings stand near the top, each one line: merged hypotheses, early stops, doubts of the estimates.
	Warnings []string
	// Timings are shown in the order given, the pipeline's. Steps run side by side, so that together they
	// may take longer than Wall.
	Timings []Timing
	Wall    float64 // seconds a person waited for the run, interruptions aside
	Machine string  // what it ran on, in one line
	Version string
	Spec    string // the resolved YAML
	// Exact is every policy's worst case over the certificate's instances, without sampling; ExactOver says what
	// they are taken from. Where there is no certificate NoBracket is a sentence that says why.
	Exact     []Row
	ExactOver string
	NoBracket string
}

// Curve is the record of one policy's training.
type Curve struct {
	Policy string
	Level  float64 // the r it was trained for; for mapo the top of the ladder
	Gap    bool    // its objective is ℓ − b (mapo), so Worst and Judged are gaps
	Points []Point
	Judged []Judged
}

// Point is what training said of itself at one iteration: Appendix D's diagnostics.
// A value that does not apply is NaN and is not drawn.
type Point struct {
	record.Step
	// Loss is what this phase minimises; empty means the run's. Warm starts on another loss have other
	// units, so their worst case is not drawn on the run's axis.
	Loss string
}

// Judged is the judge's worst case of a policy at one moment of its training.
type Judged struct{ Work, Mean, Lo, Hi float64 }

// Worst is the worst instance found for a policy at a level, and what it costs.
type Worst struct {
	record.Worst // its Theta in Θ's coordinates ⟨x, θ⟩
	Policy       string
	Best         []bool // [|𝒳|], z_*(θ), or nil
	BestText     string // its text, or empty
}

// Timing is one step of the pipeline and the seconds it took.
type Timing struct {
	Step    string
	Seconds float64
}

// check finds what would make a figure a lie: vectors of the wrong length, rows no CSV could hold.
func (run *Run) check() error {
	for i, row := range slices.Concat(run.Rows, run.Exact) {
		if err := row.check(); err != nil {
			return fmt.Errorf("report: row %d: %w", i+1, err)
		}
	}
	if n := len(run.QueryTexts); n > 0 && n != run.Queries {
		return fmt.Errorf("report: %d query texts for %d queries", n, run.Queries)
	}
	for _, w := range run.Worst {
		if len(w.Theta) != run.Queries || (w.Best != nil && len(w.Best) != run.Queries) {
			return fmt.Errorf("report: worst instance of %s at r = %s has %d entries and a best hypothesis of %d, want %d",
				w.Policy, level(w.Level), len(w.Theta), len(w.Best), run.Queries)
		}
	}
	for i, r := range run.Levels {
		if !(r > 0) || (i > 0 && r <= run.Levels[i-1]) {
			return fmt.Errorf("report: level %d is %v: levels are positive and increase", i+1, r)
		}
	}
	return nil
}

// finite says whether v can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
