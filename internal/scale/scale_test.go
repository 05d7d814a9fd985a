package scale

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"mapo"
	"mapo/flow"
	"mapo/flow/flowtest"
	"mapo/flow/job"
	"mapo/rng"
	"mapo/store"
	"mapo/store/locate"
)

// ladder is a run in small: two trainings, each judged, then one that waits for all, and a rival.
var ladder = []Job{
	{"train", "pi-1", 10, nil},
	{"train", "pi-2", 6, nil},
	{"judge", "uniform", 1, nil},
	{"judge", "pi-1", 2, []int{0}},
	{"judge", "pi-2", 3, []int{1}},
	{"train", "mapo", 5, []int{0, 1, 3, 4}},
	{"judge", "mapo", 4, []int{0, 1, 3, 4, 5}},
}

// TestSimulate: times that can be worked out by hand.
func TestSimulate(t *testing.T) {
	chain := []Job{{Seconds: 1}, {Seconds: 2, After: []int{0}}, {Seconds: 3, After: []int{0, 1}}}
	equal := slices.Repeat([]Job{{Seconds: 2}}, 7)
	for _, c := range []struct {
		why     string
		jobs    []Job
		workers int
		wait    float64
		want    float64
	}{
		{"nothing to do", nil, 3, 0, 0},
		{"a chain is not shortened", chain, 5, 0, 6},
		{"each link waits", chain, 5, .5, 7.5},
		{"one worker does all", equal, 1, 0, 14},
		{"three rounds", equal, 3, 0, 6},
		{"all at once", equal, 100, 0, 2},
		{"all at once, once waited for", equal, 100, .25, 2.25},
		{"one worker", ladder, 1, 0, 31},
		{"the longest chain", ladder, 3, 0, 21},
		{"uniform is judged by the second", ladder, 2, 0, 21},
	} {
		if got := Simulate(c.jobs, c.workers, c.wait).Seconds; got != c.want {
			t.Errorf("%s: %v s, want %v", c.why, got, c.want)
		}
	}
	path, seconds := Critical(ladder)
	if seconds != 21 || !slices.Equal(path, []int{0, 3, 5, 6}) {
		t.Errorf("critical path %v of %v s", path, seconds)
	}
}

// TestSchedule: on random graphs no job begins before what it waits for has ended, never more run than there are workers, and
// Graham's bound holds: (work − path)/workers + path.
func TestSchedule(t *testing.T) {
	for run := range 200 {
		r := rng.New(1).At(run).Stream()
		jobs := make([]Job, 1+int(r.Float64()*40))
		work := 0.0
		for i := range jobs {
			jobs[i].Seconds = r.Float64()
			work += jobs[i].Seconds
			for at := range i {
				if r.Float64() < .1 {
					jobs[i].After = append(jobs[i].After, at)
				}
			}
		}
		workers := 1 + int(r.Float64()*6)
		s := Simulate(jobs, workers, 0)
		_, path := Critical(jobs)
		if most := (work-path)/float64(workers) + path; s.Seconds > most+1e-9 || s.Seconds < max(path, work/float64(workers))-1e-9 || math.Abs(s.Busy-work) > 1e-9 {
			t.Errorf("run %d: %v s on %d workers, path %v, work %v", run, s.Seconds, workers, path, work)
		}
		for i, j := range jobs {
			atOnce := 0
			for k := range jobs {
				if s.Begin[k] <= s.Begin[i] && s.Begin[i] < s.End[k] {
					atOnce++
				}
			}
			if atOnce > workers {
				t.Errorf("run %d: %d at once on %d workers", run, atOnce, workers)
			}
			for _, at := range j.After {
				if s.Begin[i] < s.End[at]-1e-12 {
					t.Errorf("run %d: %d begins at %v, before %d has ended at %v", run, i, s.Begin[i], at, s.End[at])
				}
			}
		}
	}
}

// TestRead: what a run's jobs wait for, as Algorithm 1 says.
func TestRead(t *testing.T) {
	parts := flowtest.Tiny(t)
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plan := flow.Plan{
		Name: "tiny", Scale: "smoke", Problem: parts.Problem, Loss: mapo.BestIdentification, Levels: []float64{8, 32}, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform"}, Priors: parts.Priors, Games: 200,
	}
	f, err := flow.New(t.Context(), plan, s, &job.Local{Store: s, Steps: flow.Steps(plan.Known()...)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), plan, s); err == nil {
		t.Error("a run that is not finished was read")
	}
	if _, err := f.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	jobs, err := Read(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, j := range jobs {
		at[j.Stage+" "+j.For] = i
		if j.Seconds <= 0 || len(j.After) > 0 && slices.Max(j.After) >= i {
			t.Errorf("%d: %+v", i, j)
		}
	}
	for _, c := range []struct {
		job, other string
		want       bool
	}{
		{"judge pi-1", "train pi-1", true}, {"judge pi-1", "judge uniform", false}, {"train mapo", "judge pi-1", true},
		{"train mapo", "judge pi-2", true}, {"train mapo", "judge uniform", false}, {"judge mapo", "train mapo", true},
		{"replay uniform", "judge mapo", true}, {"replay uniform", "judge uniform", true}, {"replay uniform", "average uniform", false},
	} {
		i, ok := at[c.job]
		k, there := at[c.other]
		if got := slices.Contains(jobs[i].After, k); !ok || !there || got != c.want {
			t.Errorf("%s after %s: %v, want %v", c.job, c.other, got, c.want)
		}
	}
}

// TestMeasured prints the tables of docs/scale.md for the finished runs of the store that MAPO_SCALE names:
//
//	MAPO_SCALE=/shared/mapo go test -v -run TestMeasured ./internal/scale
func TestMeasured(t *testing.T) {
	place := os.Getenv("MAPO_SCALE")
	if place == "" {
		t.Skip("MAPO_SCALE names no store")
	}
	s, err := locate.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	names, err := s.List(t.Context(), "plans/")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		plan, err := flow.LoadPlan(t.Context(), s, store.Key(strings.TrimPrefix(name, "plans/")))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Read(t.Context(), plan, s)
		if err != nil {
			t.Errorf("%s: %v", plan.Name, err)
			continue
		}
		t.Logf("%s, %s: %d jobs\n%s", plan.Name, plan.Scale, len(jobs), tables(jobs))
	}
}

var crowds = []int{1, 2, 4, 8, 16, 32, 100}

// wait is between a job's being ready and its beginning on another machine, as seen on one machine (docs/scale.md).
const wait = .1

// tables are those of one run.
func tables(jobs []Job) string {
	var b strings.Builder
	path, longest := Critical(jobs)
	fmt.Fprintf(&b, "critical path, %.0f s:", longest)
	for _, i := range path {
		fmt.Fprintf(&b, " %s %s %.1f,", jobs[i].Stage, jobs[i].For, jobs[i].Seconds)
	}
	fmt.Fprint(&b, "\n\n| workers | seconds | times faster | busy | 20 runs, seconds | times faster | busy |\n|---|---|---|---|---|---|---|\n")
	many := copies(jobs, 20)
	alone := Simulate(jobs, 1, wait).Seconds
	for _, n := range crowds {
		one, all := Simulate(jobs, n, wait), Simulate(many, n, wait)
		fmt.Fprintf(&b, "| %d | %.0f | %.1f | %.0f %% | %.0f | %.1f | %.0f %% |\n", n, one.Seconds, alone/one.Seconds, 100*one.Busy/one.Seconds/float64(n),
			all.Seconds, 20*alone/all.Seconds, 100*all.Busy/all.Seconds/float64(n))
	}
	fmt.Fprint(&b, "\n| stage | jobs | seconds in all | longest | most at once |\n|---|---|---|---|---|\n")
	s := Simulate(jobs, len(jobs), wait)
	for _, stage := range stages(jobs) {
		n, sum, most, peak := 0, 0.0, 0.0, 0
		for i, j := range jobs {
			if j.Stage != stage {
				continue
			}
			n, sum, most = n+1, sum+j.Seconds, max(most, j.Seconds)
			atOnce := 0
			for k, other := range jobs {
				if other.Stage == stage && s.Begin[k] <= s.Begin[i] && s.Begin[i] < s.End[k] {
					atOnce++
				}
			}
			peak = max(peak, atOnce)
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.1f | %d |\n", stage, n, sum, most, peak)
	}
	return b.String()
}

// stages are the stages in the order in which they first occur.
func stages(jobs []Job) (out []string) {
	for _, j := range jobs {
		if !slices.Contains(out, j.Stage) {
			out = append(out, j.Stage)
		}
	}
	return out
}

// copies are n runs of the same jobs at once, as of n seeds, the first job of each before the second of any.
func copies(jobs []Job, n int) (out []Job) {
	for _, j := range jobs {
		for c := range n {
			after := make([]int, len(j.After))
			for i, at := range j.After {
				after[i] = at*n + c
			}
			out = append(out, Job{j.Stage, j.For, j.Seconds, after})
		}
	}
	return out
}
