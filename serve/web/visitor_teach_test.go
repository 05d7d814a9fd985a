package web

import (
	"fmt"
	"testing"
	"time"

	"mapo/rng"
)

const (
	everyTruths  = 68 // one version
	judgedGames  = 4000
	proxyNetwork = "127.0.0.0/8"
)

// directions of play between the two tables: rows of one, answers of the other.
var directions = []struct {
	rows, answers string
	want          map[int]float64 // games told: share right
}{
	{"authors", "leuven", map[int]float64{136: 0.74, 544: 0.85, 2176: 0.92}},
	{"leuven", "authors", map[int]float64{136: 0.80, 544: 0.88, 2176: 0.94}},
}

// learnerAt starts a server that learns.
func learnerAt(t *testing.T, table string, more ...string) *process {
	t.Helper()
	flags := append([]string{table, "--learn", "--learn-every", fmt.Sprint(everyTruths), "--stop", "off", "--rate", "0", "--trusted-proxy", proxyNetwork}, more...)
	p := newProcess(t, mapoProgram(t), fastDB(t), flags...)
	p.start()
	return p
}

// school teaches a server: people play games and tell what they were about.
type school struct {
	addr, policy string
	who          *people
	attack       *attack
	from         []string // the address of each game
	key          rng.Key
	told         int
}

// newSchool makes games enough, from addresses of least to most games each.
func newSchool(addr, policy string, who *people, a *attack, games, least, most int, seed uint64) *school {
	s := &school{addr: addr, policy: policy, who: who, attack: a, key: rng.New(seed).Name("school")}
	r := s.key.Name("addresses").Rand()
	for client := 0; len(s.from) < games; client++ {
		for range least + r.IntN(most-least+1) {
			s.from = append(s.from, fmt.Sprintf("198.18.%d.%d", client/250, 1+client%250))
		}
	}
	return s
}

// teach plays until that many games are told, and has every version built in time.
func (s *school) teach(t testing.TB, games int) {
	t.Helper()
	for s.told < games {
		from := s.told
		s.told = min(from+everyTruths, games)
		crowd(t, s.addr, 4, s.told-from, func(v *visitor, i int) error { return s.game(v, from+i) })
		if s.told%everyTruths == 0 {
			awaitVersion(t, s.addr, s.policy, s.told/everyTruths)
		}
	}
}

// game plays game i and tells its truth.
func (s *school) game(v *visitor, i int) error {
	key := s.key.At(i)
	r := key.Rand()
	object, flip := r.IntN(len(s.who.objects)), 1
	truth := object
	v.from = s.from[i]
	if s.attack != nil && i%10 == 3 {
		v.from, truth = attackerFrom, s.attack.claim(object, len(s.who.objects), r)
		if s.attack.lies {
			flip = -1
		}
	}
	end, err := v.session(s.policy, i, func(question string) int { return flip * s.who.answer(key, object, question) })
	if err != nil {
		return err
	}
	return v.tell(end.ID, s.who.objects[truth])
}

// TestTeach: a table that one source made is gameNow by another's people, who tell what each game was about. Judged on
// fresh games with the table frozen, the mean of three seeds.
func TestTeach(t *testing.T) {
	long(t)
	for _, d := range directions {
		t.Run(d.rows, func(t *testing.T) {
			table, who, sum := crossTable(t, d.rows), readPeople(t, crossTable(t, d.answers)), map[int]float64{}
			counts := []int{0, 136, 544, 2176}
			for seed := range uint64(3) {
				p := learnerAt(t, table)
				s := newSchool(p.addr, idOf(table), who, nil, counts[len(counts)-1], 1, 8, seed)
				for _, games := range counts {
					began := time.Now()
					s.teach(t, games)
					taught := time.Since(began)
					right := judged(t, p.addr, s.policy, who, judgedGames, seed)
					sum[games] += right
					t.Logf("seed %d, %d games: %.2f %% (%v taught, %v judged)", seed, games, 100*right, taught.Round(time.Second), (time.Since(began) - taught).Round(time.Second))
				}
				p.kill()
			}
			t.Logf("%s' rows, no game: %.2f %%", d.rows, 100*sum[0]/3)
			for _, games := range counts[1:] {
				mean := sum[games] / 3
				t.Logf("%s' rows, %d games: %.2f %%, want %.0f", d.rows, games, 100*mean, 100*d.want[games])
				if mean < d.want[games] {
					t.Errorf("%s' rows, %d games: %.2f %% right, want at least %.0f", d.rows, games, 100*mean, 100*d.want[games])
				}
			}
		})
	}
}

// TestForeign: without learning, the same games end as two independent programs had them.
func TestForeign(t *testing.T) {
	long(t)
	for i, d := range directions {
		table, who := crossTable(t, d.rows), readPeople(t, crossTable(t, d.answers))
		p := newProcess(t, mapoProgram(t), fastDB(t), table, "--stop", "off")
		p.start()
		for name, c := range map[string]struct {
			who    *people
			lo, hi float64
		}{
			"own":     {readPeople(t, table), 0.97, 1},
			"foreign": {who, []float64{0.59, 0.68}[i], []float64{0.67, 0.74}[i]},
		} {
			began := time.Now()
			right := judged(t, p.addr, idOf(table), c.who, judgedGames, 1)
			t.Logf("%s' rows, %s answers: %.2f %% in %v", d.rows, name, 100*right, time.Since(began))
			if right < c.lo || right > c.hi {
				t.Errorf("%s' rows, %s answers: %.2f %%", d.rows, name, 100*right)
			}
		}
	}
}
