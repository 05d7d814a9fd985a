package train

import (
	"context"
	"fmt"
	"mapo"
	"mapo/adversary"
	"mapo/nn"
	"mapo/rng"
	"os"
	"strconv"
	"testing"
	"time"
)

func thr(d, T int) *mapo.Problem {
	p := &mapo.Problem{Name: "thresholds", T: T}
	for i := range d {
		p.X = append(p.X, fmt.Sprint("x", i))
	}
	for k := range d + 1 {
		p.Names = append(p.Names, fmt.Sprint("z", k))
		for i := range d {
			v := float32(0)
			if i < k {
				v = 1
			}
			p.Z = append(p.Z, v)
		}
	}
	return p
}
func env(n string, v float64) float64 {
	if s := os.Getenv(n); s != "" {
		f, _ := strconv.ParseFloat(s, 64)
		return f
	}
	return v
}
func TestLab(t *testing.T) {
	if os.Getenv("LAB") == "" {
		t.Skip()
	}
	p := thr(25, 20)
	loss := mapo.SimpleRegret
	cfg, _ := Preset("desk", p, loss)
	cfg.Regret = int(env("ITERS", 500))
	cfg.M = int(env("M", float64(cfg.M)))
	cfg.L = int(env("L", float64(cfg.L)))
	cfg.LambdaPol = env("POL", cfg.LambdaPol)
	cfg.LambdaGen = env("GEN", cfg.LambdaGen)
	cfg.RatePsi = env("RPSI", cfg.RatePsi)
	cfg.RateTheta = env("RTH", cfg.RateTheta)
	cfg.RateW = env("RW", cfg.RateW)
	cfg.LambdaBarrier = env("BAR", cfg.LambdaBarrier)
	cfg.N = int(env("N", float64(cfg.N)))
	task := Task{P: p, C: mapo.RhoTilde(p), Loss: loss, R: []float64{32}, Config: cfg, Key: rng.New(1)}
	r, err := New(task, nil)
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Now()
	n := 0
	for s, err := range Descend(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if n%int(env("EVERY", 100)) == 0 {
			fmt.Printf("%d %.1fs work %.2g worst %.3f feas %.2f bar %.3f Hpi %.3f Hw %.3f g %.3g %.3g %.3g\n", s.Iter, time.Since(t0).Seconds(), float64(s.Work), s.Worst, s.Feasible, s.Barrier, s.PolicyEntropy, s.ParticleEntropy, s.GradPsi, s.GradTheta, s.GradW)
		}
	}
	fmt.Println("trained in", time.Since(t0))
	t0 = time.Now()
	e, _ := adversary.Efforts("smoke")
	w, err := (&adversary.Search{P: p, C: task.C, Loss: loss, Policy: nn.Policy(p, r.Net()), Levels: []float64{8, 32}, Key: rng.New(9), Effort: e}).Run(context.Background())
	fmt.Println(err, time.Since(t0))
	for _, x := range w {
		fmt.Printf("r=%g rho %.1f %.3f [%.3f,%.3f]\n", x.Level, x.Rho, x.Mean, x.Lo, x.Hi)
	}
}
