package run

import (
	"context"
	"slices"
	"testing"
	"time"

	"mapo/run/job"
)

// pipeline is the whole run as a forecast takes it.
func pipeline(ctx context.Context, f *Flow) error {
	_, err := f.Run(ctx)
	return err
}

// TestForecastKnowsTheJobs compares a rehearsal with a run: every job that does not depend on
// results is expected, none other is, and at the end nothing but confirmations is left out.
func TestForecastKnowsTheJobs(t *testing.T) {
	for why, plan := range map[string]Plan{"ladder": tiny(t, 8, 32), "one level": tiny(t, 16)} {
		plan.Rivals = []string{"uniform", "sgbs:0.1", BayesLAL}
		f, err := NewForecast(t.Context(), plan, pipeline)
		if err != nil {
			t.Fatal(err)
		}
		name := func(step, policy string) string { return step + " " + policy }
		var want, got []string
		for _, j := range f.jobs {
			if j.work <= 0 {
				t.Errorf("%s: %s %s costs nothing", why, j.step, j.policy)
			}
			if !j.settling() {
				want = append(want, name(j.step, j.policy))
			}
		}
		now, last := time.Unix(0, 0), 0
		err = run(t, plan, t.TempDir(), 2, func(e job.Event) bool {
			now = now.Add(time.Second)
			f.Event(e, now)
			if e.Kind == job.Started && !(&planned{policy: e.For}).settling() {
				got = append(got, name(e.Step, e.For))
			}
			if done, all := f.Jobs(); done < last || done > all {
				t.Errorf("%s: job %d of %d after %d", why, done, all, last)
			} else {
				last = done
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: expected\n%q, came\n%q", why, want, got)
		}
		for _, j := range f.jobs {
			if !j.ended && !j.settling() {
				t.Errorf("%s: %s %s never ended", why, j.step, j.policy)
			}
		}
	}
}

// TestForecastLearns plays a run of known times on a machine with one slot: after the first jobs of
// each kind the time left is within a third of the truth, whatever was taken for their work before.
func TestForecastLearns(t *testing.T) {
	f, err := NewForecast(t.Context(), tiny(t, 8, 16, 32), pipeline)
	if err != nil {
		t.Fatal(err)
	}
	const minute = time.Minute
	jobs := slices.DeleteFunc(slices.Clone(f.jobs), (*planned).settling)
	f.jobs = slices.Clone(jobs)
	times, total := map[*planned]time.Duration{}, time.Duration(0)
	for _, j := range jobs {
		times[j] = time.Duration(j.work * map[string]float64{"train": 3e6, "judge": 1e7, "replay": 5e6, "average": 2e6, "certify": 1e9, "exact": 1e9}[j.step])
		total += times[j]
	}
	now := time.Unix(0, 0)
	if left, known := f.Left(now); known {
		t.Errorf("before anything was timed: %v left", left)
	}
	begin, timed := now, map[string]bool{}
	for i, j := range jobs {
		f.Event(job.Event{Kind: job.Started, Step: j.step, For: j.policy}, now)
		now = now.Add(times[j])
		f.Event(job.Event{Kind: job.Finished, Step: j.step, For: j.policy}, now)
		timed[j.step] = true
		rest := total - now.Sub(begin)
		left, known := f.Left(now)
		all := !slices.ContainsFunc(jobs[i+1:], func(j *planned) bool { return !timed[j.step] })
		if !known || all && (left < rest*2/3-minute/60 || left > rest*4/3+minute/60) {
			t.Errorf("after %s %s: %v left, in truth %v", j.step, j.policy, left, rest)
		}
	}
	if done, all := f.Jobs(); done != all {
		t.Errorf("%d of %d jobs are done", done, all)
	}
}

// TestForecastUnderMaxTime: a training that is stopped by the clock is as far as its time is, and
// the rest of the trainings take no longer than they may.
func TestForecastUnderMaxTime(t *testing.T) {
	plan := tiny(t, 8)
	plan.Rivals, plan.Priors, plan.Seconds = nil, nil, 100
	f, err := NewForecast(t.Context(), plan, pipeline)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	step := job.Event{Kind: job.Started, Step: "train", For: PiName(1)}
	f.Event(step, now)
	step.Kind, step.Seconds, step.Train.Iter, step.Train.Iters = job.Progress, 50, 1, 1000
	f.Event(step, now.Add(50*time.Second))
	if got := f.running(step).at; got != 0.5 {
		t.Errorf("after half of its time a training is at %g", got)
	}
	f.jobs = f.jobs[:1]
	if got := f.At(now.Add(50 * time.Second)); got != "job 1 of 1, about 50 s left" {
		t.Error(got)
	}
}

// TestForecastOfAnOverrun: while a job takes longer than was thought, at least what the jobs still to come take is left.
func TestForecastOfAnOverrun(t *testing.T) {
	now := time.Unix(0, 0)
	f := &Forecast{last: now, jobs: []*planned{
		{step: "judge", policy: "a", class: "judge", work: 10, begun: true, ended: true, at: 1, spent: 100},
		{step: "judge", policy: "b", class: "judge", work: 10},
		{step: "judge", policy: "c", class: "judge", work: 10},
	}}
	if left, known := f.Left(now); !known || left != 200*time.Second {
		t.Fatalf("before the second job %v are left, want 200 s", left)
	}
	f.Event(job.Event{Kind: job.Started, Step: "judge", For: "b"}, now)
	for _, late := range []int{99, 150, 1000} {
		if left, known := f.Left(now.Add(time.Duration(late) * time.Second)); !known || left < 100*time.Second || left > 200*time.Second {
			t.Errorf("after %d s of a job of about 100 s %v are left, and the next takes about 100 s", late, left)
		}
	}
}
