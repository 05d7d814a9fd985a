package run

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/rival"
)

// TestUntrained: on rows every offered policy has two averages, the first of them better; no other problem has any. Workers
// change nothing.
func TestUntrained(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 8,000 games")
	}
	plan := tiny(t, 16)
	plan.Loss = game.BestIdentification
	if all, err := plan.Untrained(t.Context(), 1); err != nil || all != nil {
		t.Errorf("majorities: %+v, %v", all, err)
	}
	p := &game.Problem{Name: "codes", T: 9, AskOnce: true, Seek: new(game.Shares)}
	for row := range 8 {
		p.Names, p.Seek.(*game.Shares).Weight = append(p.Names, fmt.Sprint("row ", row)), append(p.Seek.(*game.Shares).Weight, 0.125)
		for query := range 12 {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, 0.05+0.9*float64(row>>(query%3)&1))
		}
	}
	for query := range 12 {
		p.X = append(p.X, fmt.Sprint("query ", query))
	}
	plan.Problem = p.Grade()
	all, err := plan.Untrained(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, u := range all {
		names = append(names, u.Policy)
		if len(u.Gives) != 2 || u.Gives[0].Prior != "table" || u.Gives[1].Prior != "table+flip:0.1" {
			t.Fatalf("%s: %+v", u.Policy, u.Gives)
		}
		own, wrong := u.Gives[0], u.Gives[1]
		if !(own.Mean < wrong.Mean && own.Mean < 0.2 && wrong.Mean > 0.02) || own.Games != manyGames {
			t.Errorf("%s errs in %.3f of %d games, and in %.3f where one answer in ten is wrong", u.Policy, own.Mean, own.Games, wrong.Mean)
		}
	}
	if !slices.Equal(names, rival.Offered()) {
		t.Errorf("policies are %v", names)
	}
	again, err := plan.Untrained(t.Context(), 2)
	if err != nil || !reflect.DeepEqual(again, all) {
		t.Errorf("two workers find %+v, %v", again, err)
	}
	plan.Loss = game.SimpleRegret
	if all, err := plan.Untrained(t.Context(), 1); err != nil || all != nil {
		t.Errorf("regret: %+v, %v", all, err)
	}
}
