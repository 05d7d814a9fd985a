package main

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mapo/rng"
	"mapo/run/job"
	"mapo/run/store"
)

// kills kills one of two workers again and again, at random moments of their jobs, and a server of its own once in between: no job that ended is
// done again, and a training or a search loses no more than a checkpoint's interval a kill. MAPO_LONG=1 has twenty kills.
func (w *world) kills() {
	kills, spec := 3, "harmed.yaml"
	if os.Getenv("MAPO_LONG") != "" {
		kills, spec = 20, "killed.yaml"
		w.spec(spec, small(", pi: 30000, oracle: {follow: 30000}, pi_hat: 30000", ""))
		w.must("run", spec, "--out", "killed-whole")
	}
	w.serveOwn()
	const every = time.Second
	start := func() *service { return w.worker("store-killed", "--checkpoint-every", every.String()) }
	r := rng.New(uint64(time.Now().UnixNano())).Stream()
	now := []*service{start(), start()}
	all := append([]*service{}, now...)
	id := w.mapo("run", spec, "--out", "killed", "--temporal", w.address, "--store", "store-killed", "--heartbeat", "10s")
	w.until(id, "a training", func() bool { return strings.Contains(now[0].String()+now[1].String(), "train bayes-lal: started") })
	slowest := slowness(w.t)
	for done := range kills {
		i := done % len(now)
		w.until(id, "a job of the worker's", func() bool { return len(now[i].open()) > 0 })
		time.Sleep(time.Duration(r.Float64() * float64(2*time.Second)))
		now[i].kill()
		now[i] = start()
		all = append(all, now[i])
		if done+1 == kills/2 {
			w.down()
			time.Sleep(time.Second)
			w.serve()
		}
	}
	if err := id.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, id)
	}
	w.once(all)
	w.lost(all, "store-killed", every, slowest())
	w.same("killed", strings.TrimSuffix(spec, ".yaml")+"-whole")
	w.replayed()
}

// slowness begins to measure how much longer than at its best the machine takes for the same work; what it returns ends that
// and returns the most.
func slowness(t *testing.T) func() float64 {
	var best, worst time.Duration
	stop, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		data := make([]byte, 1<<20)
		for {
			begin := time.Now()
			for range 5 {
				sha256.Sum256(data)
			}
			took := time.Since(begin)
			if worst = max(worst, took); best == 0 || took < best {
				best = took
			}
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	end := sync.OnceFunc(func() { close(stop); <-ended })
	t.Cleanup(end)
	return func() float64 { end(); return float64(worst) / float64(best) }
}

// lost compares when workers were killed with what is kept of their work. slowest is by how much other work made this
// machine slower.
func (w *world) lost(workers []*service, place string, every time.Duration, slowest float64) {
	w.t.Helper()
	kept := w.kept(place)
	lost := map[string]time.Duration{}
	under := map[string]int{}
	for _, s := range workers {
		if s.died.IsZero() {
			continue
		}
		for job, began := range s.open() {
			last := began
			for _, span := range kept[job] {
				if end := span.Begin.Add(time.Duration(span.Seconds * float64(time.Second))); end.Before(s.died) && end.After(last) {
					last = end
				}
			}
			step, _, _ := strings.Cut(job, " ")
			under[step]++
			lost[step] = max(lost[step], s.died.Sub(last))
		}
	}
	w.t.Logf("jobs under way at a kill: %v; a kill lost at most %v, with a checkpoint every %v", under, lost, every)
	for _, step := range []string{"train", "judge", "replay"} {
		if slack := time.Duration(slowest * float64(3*time.Second)); lost[step] > every+slack { // an iteration or a block, and saving
			w.t.Errorf("a kill lost %v of a %s", lost[step], step)
		}
	}
}

// open are the jobs that a worker had begun and not ended, and when it began them.
func (s *service) open() map[string]time.Time {
	jobs := map[string]time.Time{}
	for _, l := range s.said() {
		if job, ok := strings.CutSuffix(l.text, ": started"); ok {
			jobs[job] = l.at
		}
		if job, ok := finished(l.text); ok {
			delete(jobs, job)
		}
	}
	return jobs
}

// kept is the time that the results of a store took, by job: spans of which each ends with a checkpoint or the result.
func (w *world) kept(place string) map[string]job.Took {
	w.t.Helper()
	kept := map[string]job.Took{}
	w.timings(place, func(key string, t job.Took, read func(name string, v any)) {
		var in struct {
			Step  string
			Input job.Header
		}
		read("inputs/"+key, &in)
		step, _, _ := strings.Cut(in.Step, "/")
		kept[step+" "+in.Input.For] = t
	})
	return kept
}

// tick is by how much the time of a file may lag: a file system's clock ticks, a hundred times a second or more often, a
// process's does not.
const tick = 10 * time.Millisecond

// onceByKey is once where several runs have jobs of the same names: whoever worked on a result had begun before it was
// there.
func (w *world) onceByKey(place string) {
	w.t.Helper()
	w.timings(place, func(key string, t job.Took, _ func(name string, v any)) {
		var result syscall.Stat_t
		if err := syscall.Stat(filepath.Join(w.dir, place, "artifacts", key), &result); err != nil {
			w.t.Error(err)
			return
		}
		ended := time.Unix(result.Ctim.Unix()) // when the file was given its name
		for _, span := range t {
			if span.Begin.After(ended.Add(tick)) {
				w.t.Errorf("%s was begun %v after it had ended", key, span.Begin.Sub(ended))
			}
		}
	})
}

// timings goes through the times of a store's results.
func (w *world) timings(place string, each func(key string, t job.Took, read func(name string, v any))) {
	w.t.Helper()
	s, err := store.Folder(filepath.Join(w.dir, place))
	if err != nil {
		w.t.Fatal(err)
	}
	names, err := s.List(w.t.Context(), "timings/")
	if err != nil || len(names) == 0 {
		w.t.Fatalf("%d times in %s, %v", len(names), place, err)
	}
	read := func(name string, v any) {
		w.t.Helper()
		data, err := s.Get(w.t.Context(), name)
		if err == nil {
			err = json.Unmarshal(data, v)
		}
		if err != nil {
			w.t.Error(err)
		}
	}
	for _, name := range names {
		var t job.Took
		read(name, &t)
		each(strings.TrimPrefix(name, "timings/"), t, read)
	}
}
