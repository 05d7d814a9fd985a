package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"mapo/internal/console"
	"mapo/run/job"
)

// stopAt names the variable that says by which signal, and at which event, a command of the tests' own binary stops
// itself: "SIGNAL EVENT N [STEP [POLICY]]" stops it at the Nth such event, and "SIGNAL begin" before it does anything. So
// every moment is reached on every machine.
const stopAt = "MAPO_TEST_STOP"

// mapo is main, with [stopAt]. However slow the machine is, it does not say how far it is.
func mapo() {
	console.Silence, console.Pause, levelsTime = 24*time.Hour, 24*time.Hour, 24*time.Hour
	order := strings.Fields(os.Getenv(stopAt))
	if len(order) == 0 {
		main()
		return
	}
	ctx, stop := untilStopped()
	defer stop()
	if order[1] == "begin" {
		signalled(ctx, order[0])
	} else {
		n, err := strconv.Atoi(order[2])
		if err != nil {
			panic(err)
		}
		heard = func(e job.Event) {
			if e.Kind.String() != order[1] || len(order) > 3 && e.Step != order[3] || len(order) > 4 && e.For != order[4] {
				return
			}
			if n--; n == 0 {
				signalled(ctx, order[0])
			}
		}
	}
	os.Exit(executeUntil(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// signals are those that [stopAt] may name.
var signals = map[string]os.Signal{"interrupt": os.Interrupt, "kill": os.Kill}

// signalled sends a signal to its own process. It returns once the signal has had its effect.
func signalled(ctx context.Context, name string) {
	own, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = own.Signal(signals[name])
	}
	if err != nil {
		panic(err)
	}
	switch name {
	case "interrupt":
		<-ctx.Done()
	case "kill":
		select {}
	}
}
