package web

import (
	"math/rand/v2"
	"testing"
	"time"
)

// attack is what a client does that makes the table worse.
type attack struct {
	name  string
	lies  bool // every answer is flipped
	claim func(object, objects int, r *rand.Rand) int
}

var attacks = []*attack{
	{"one animal", false, func(_, _ int, _ *rand.Rand) int { return 0 }},
	{"flipped answers", true, func(object, _ int, _ *rand.Rand) int { return object }},
	{"random truths", false, func(_, objects int, r *rand.Rand) int { return r.IntN(objects) }},
}

// attackerFrom is the address of every tenth game where there is an attacker.
const attackerFrom = "203.0.113.66"

// without turns the protection against attackers off.
var without = []string{"--client-cap", "0", "--set-aside", "off"}

// attacked is what a server is right in after 2,176 games, the mean of three seeds, and the shares of the games that
// the newest version is learned without.
func attacked(t *testing.T, a *attack, most int, flags ...string) (right, excluded float64) {
	t.Helper()
	const seeds, games = 3, 2176
	table, who := crossTable(t, "authors"), readPeople(t, crossTable(t, "leuven"))
	for seed := range uint64(seeds) {
		began := time.Now()
		p := learnerAt(t, table, flags...)
		s := newSchool(p.addr, idOf(table), who, a, games, 1, most, seed)
		s.teach(t, games)
		right += judged(t, p.addr, s.policy, who, judgedGames, seed) / seeds
		db := besideDB(t, p.db)
		told := count(t, db, "SELECT COUNT(*) FROM mapo_games WHERE learned = 1")
		out := count(t, db, "SELECT COUNT(*) FROM mapo_games WHERE learned = 1 AND excluded = 1")
		excluded += float64(out) / float64(told) / seeds
		if told != games {
			t.Errorf("%d games are told, want %d", told, games)
		}
		p.kill()
		t.Logf("seed %d: %d of %d games excluded, in %v", seed, out, told, time.Since(began).Round(time.Second))
	}
	return right, excluded
}

// TestAttackers: each of three attackers, who plays a tenth of the games from one address, costs the honest games at
// most two points after 2,176 games. Without the protection flipped answers cost some five. Of honest games less
// than 2 % are set aside, also where clients play up to 40 games.
func TestAttackers(t *testing.T) {
	long(t)
	honest, excluded := attacked(t, nil, 8)
	t.Logf("honest: %.2f %% right, %.2f %% of the games excluded", 100*honest, 100*excluded)
	if excluded >= 0.02 {
		t.Errorf("%.2f %% of honest games are excluded, want less than 2 %%", 100*excluded)
	}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			right, excluded := attacked(t, a, 8)
			open, _ := attacked(t, a, 8, without...)
			t.Logf("%s: %.2f %% right (%.2f points less), %.2f %% of the games excluded; without protection %.2f %% (%.2f points less)",
				a.name, 100*right, 100*(honest-right), 100*excluded, 100*open, 100*(honest-open))
			if honest-right > 0.02 {
				t.Errorf("costs %.2f points, want 2 at most", 100*(honest-right))
			}
			if a.lies && honest-open < 0.04 { // some 5 points, which three seeds tell to 0.7 or so
				t.Errorf("without protection costs %.2f points: the attack is none", 100*(honest-open))
			}
		})
	}
	t.Run("honest and eager", func(t *testing.T) {
		right, excluded := attacked(t, nil, 40)
		t.Logf("%.2f %% right, %.2f %% of the games excluded", 100*right, 100*excluded)
		if excluded >= 0.02 {
			t.Errorf("%.2f %% of honest games are excluded, want less than 2 %%", 100*excluded)
		}
	})
}
