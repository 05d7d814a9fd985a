package adversary

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mapo"
	"mapo/baseline"
	"mapo/rng"
)

func labThresholds(d, t int) *mapo.Problem {
	p := &mapo.Problem{Name: "thresholds", T: t}
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

func TestLab(t *testing.T) {
	if os.Getenv("LAB") == "" {
		t.Skip()
	}
	p := labThresholds(25, 20)
	var names = strings.Split(os.Getenv("POL"), ",")
	for _, name := range names {
		var pol mapo.Policy
		if name == "mix" {
			pol = labMix{[]mapo.Policy{baseline.Uniform(p), baseline.Uncertainty(p), baseline.SGBS(p, .3)}}
		} else {
			var err error
			pol, err = baseline.Parse(p, name)
			if err != nil {
				t.Fatal(err)
			}
		}
		cp := &labCount{Policy: pol}
		pol = cp
		for _, loss := range mapo.Losses() {
			if l := os.Getenv("LOSS"); l != "" && l != loss.String() {
				continue
			}
			for _, eff := range strings.Split(os.Getenv("LAB"), ",") {
				e := labEffort(eff)
				var avg [9]float64
				cp.n.Store(0)
				t00 := time.Now()
				for seed := range labInt("SEEDS", 1) {
					s := &Search{P: p, C: mapo.RhoTilde(p), Loss: loss, Policy: pol, Levels: []float64{8, 11.3, 16, 22.6, 32, 45.3, 64, 90.5, 128}, Key: rng.New(uint64(seed + 1)), Effort: e}
					t0 := time.Now()
					ws, err := s.Run(context.Background())
					if err != nil {
						t.Fatal(err)
					}
					for k, w := range ws {
						avg[k] += w.Mean / float64(labInt("SEEDS", 1))
					}
					if os.Getenv("AVG") != "" {
						continue
					}
					fmt.Printf("%-12s %-8s %-8s %5.1fs ", name, loss.String()[:6], eff, time.Since(t0).Seconds())
					for _, w := range ws {
						fmt.Printf(" %.3f", w.Mean)
					}
					fmt.Printf("  +-%.3f rho %.0f\n", (ws[4].Hi-ws[4].Lo)/2, ws[4].Rho)
					if os.Getenv("SHOW") != "" {
						for _, w := range ws {
							fmt.Printf("%6.1f rho %6.1f  %.3f [%.3f %.3f] %d  %+.2f\n", w.Level, w.Rho, w.Mean, w.Lo, w.Hi, w.Games, w.Theta)
						}
					}
				}
				if os.Getenv("AVG") != "" {
					fmt.Printf("%-12s %-8s %-8s %5.1fs %4dk ", name, loss.String()[:6], eff, time.Since(t00).Seconds()/float64(labInt("SEEDS", 1)), int(cp.n.Load())/500/labInt("SEEDS", 1)/1000)
					for _, v := range avg {
						fmt.Printf(" %.3f", v)
					}
					fmt.Println()
				}
			}
		}
	}
}

type labCount struct {
	mapo.Policy
	n atomic.Int64
}

func (c *labCount) Probs(dst []float32, s mapo.States) {
	c.n.Add(int64(len(dst)))
	c.Policy.Probs(dst, s)
}

type labMix struct{ ps []mapo.Policy }

func (c labMix) Probs(dst []float32, s mapo.States) {
	tmp := make([]float32, len(dst))
	c.ps[0].Probs(dst, s)
	for _, p := range c.ps[1:] {
		p.Probs(tmp, s)
		for i, v := range tmp {
			dst[i] += v
		}
	}
	for i := range dst {
		dst[i] /= float32(len(c.ps))
	}
}

func labInt(name string, def int) int {
	if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return v
	}
	return def
}

func labEffort(name string) Effort {
	switch name {
	case "big": // 4x starts and longer
		return Effort{
			Starts: 600, Screen: 32, Brood: 80, Generations: 4,
			Rungs:  []Rung{{150, 12, 48, .08, .03}, {48, 24, 64, .06, .015}, {12, 40, 192, .03, .004}, {4, 60, 512, .02, .003}},
			Finals: 8, Replay: 6000, Report: 20000, HalfWidth: .01, MaxReport: 40000,
		}
	case "k8":
		e, _ := Efforts("desk")
		e.Rungs = []Rung{{40, 10, 32, .08, .03}, {16, 16, 48, .06, .015}, {6, 16, 64, .04, .01}, {2, 40, 192, .03, .004}}
		e.Finals = 8
		return e
	case "less":
		e, _ := Efforts("desk")
		e.Rungs = []Rung{{32, 10, 24, .08, .03}, {10, 16, 48, .06, .015}, {4, 16, 64, .04, .01}, {1, 40, 256, .03, .004}}
		e.Starts = 120
		return e
	case "long":
		e, _ := Efforts("desk")
		e.Rungs = []Rung{{40, 12, 24, .08, .03}, {12, 32, 32, .06, .015}, {4, 64, 48, .05, .004}}
		return e
	case "hot":
		e, _ := Efforts("desk")
		e.Rungs = []Rung{{40, 10, 32, .12, .05}, {12, 16, 64, .1, .02}, {4, 24, 128, .06, .004}}
		return e
	case "mid":
		return Effort{
			Starts: 256, Screen: 24, Brood: 40, Generations: 4,
			Rungs:  []Rung{{64, 12, 32, .08, .03}, {20, 20, 64, .06, .015}, {6, 32, 160, .03, .004}},
			Finals: 6, Replay: 4000, Report: 10000, HalfWidth: .01, MaxReport: 40000,
		}
	}
	e, err := Efforts(name)
	if err != nil {
		panic(err)
	}
	return e
}
