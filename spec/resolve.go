package spec

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/policy/rival"
)

// loader turns a spec as written into a resolved one.
type loader struct {
	src    *source
	folder string // its files are relative to it
	raw    file
	spec   *Spec
	made   *dataset.Table // the problem's table where it is in memory; nil: it is read
}

// read fills raw from the root map.
func (l *loader) read() error {
	list, _ := entries(l.src.root)
	return l.src.fields("", list, reflect.ValueOf(&l.raw).Elem())
}

// resolve checks and builds in an order in which every fault is the spec's own:
// levels need the problem and the instances, rivals and priors the problem.
func (l *loader) resolve(path string, over Override) (*Spec, error) {
	l.spec = &Spec{Path: path, Seed: 1, src: l.src, Games: l.raw.Evaluate.Games}
	if l.raw.Seed != nil {
		l.spec.Seed = *l.raw.Seed
	}
	for _, check := range []func() error{
		l.name, func() error { return l.scale(over) }, l.loss, l.dontKnow, func() error { return l.truth(over) }, l.problem, l.instances,
		l.checkLevels, l.rivals, l.priors, l.answers, l.objective, l.games, l.yardstick,
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return l.spec, nil
}

// yardstick refuses to judge trainings on their way, which programs did until now.
func (l *loader) yardstick() error {
	judged := l.raw.Evaluate.Yardstick
	if judged != nil && *judged {
		return l.src.at("evaluate.yardstick", "trainings are not judged on their way any more: remove yardstick; bash docs/race.sh compares two of them")
	}
	l.spec.Unmarked = judged != nil
	return nil
}

// name sets the spec's name, which must do for a folder: letters, digits and a few marks.
func (l *loader) name() error {
	name := l.raw.Name
	if name == "" {
		name = fileName(l.spec.Path)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !inName(r) }) || name[0] == '.' || len(name) > mostName {
		return l.src.at("name", "name %q is not a name for a folder: use at most %d letters, digits, -, _ and .", name, mostName)
	}
	l.spec.Name = name
	return nil
}

// fileName returns a spec's name made from its file's, cut and with dashes where need be.
func fileName(path string) string {
	name := strings.Map(func(r rune) rune {
		if !inName(r) {
			return '-'
		}
		return r
	}, strings.TrimLeft(dataset.Base(path), "."))
	for len(name) > mostName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	if name == "" {
		return "run"
	}
	return name
}

// inName leaves out what a shell, a URL or a file system treats specially.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r)
}

// scale takes preset out of train: and lets the command line replace it.
func (l *loader) scale(over Override) error {
	l.spec.Scale = defaultScale
	if l.raw.Train != nil {
		list, ok := entries(l.raw.Train)
		if !ok {
			return l.src.at("train", "train is %s, want a map such as {preset: desk}", show(l.raw.Train))
		}
		for _, e := range list {
			if e.Key.GetToken().Value != "preset" {
				l.spec.train = append(l.spec.train, e)
				continue
			}
			l.src.lines["train.preset"] = line(e.Key)
			if err := l.src.decode("train.preset", e.Value, reflect.ValueOf(&l.spec.Scale).Elem()); err != nil {
				return err
			}
			if !slices.Contains(Scales, l.spec.Scale) {
				return l.src.at("train.preset", "%s", Unknown("preset", l.spec.Scale, Scales))
			}
		}
	}
	if over.Scale != "" {
		l.spec.Scale = over.Scale
	}
	return nil
}

// loss defaults to the zero Loss, best identification, for Jester to the paper's, simple regret, and for classifiers to the same,
// the items that the recommended one has wrong and the best has not.
func (l *loader) loss() error {
	if l.raw.Loss == "" && !l.has("loss") {
		if l.raw.Problem != nil && (l.raw.Problem.Jester != nil || l.raw.Problem.Classifiers != nil) {
			l.spec.Loss = game.SimpleRegret
		}
		return nil
	}
	var known []string
	for _, loss := range game.Losses() {
		known = append(known, loss.String())
	}
	var err error
	if l.spec.Loss, err = game.ParseLoss(l.raw.Loss); err != nil {
		return l.src.at("loss", "%s", Unknown("loss", l.raw.Loss, known))
	}
	return nil
}

// has reports whether the spec says anything at path: an empty text is not the
// same as none.
func (l *loader) has(path string) bool {
	_, ok := l.src.lines[path]
	return ok
}

// problem builds the game; what [game.Problem.Check] then finds is the fault of
// the budget, all else having been checked.
func (l *loader) problem() error {
	raw := l.raw.Problem
	var kinds []kind
	for _, kind := range raw.kinds() {
		if kind.has {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) == 0:
		return l.src.at("problem", "the spec has no problem: write problem: {table: FILE} or problem: {thresholds: {d: 25}}")
	case len(kinds) > 1:
		return l.src.at("problem", "the problem is both %s and %s: keep one", kinds[0].name, kinds[1].name)
	}
	of := kinds[0]
	budget, once, err := l.rules(of)
	if err != nil {
		return err
	}
	l.spec.kind = of
	if err := of.load(l, budget, once); err != nil {
		return err
	}
	l.spec.roomy = l.raw.Budget == nil && once
	l.spec.limit(l.spec.Problem)
	if err := l.answersAre(); err != nil {
		return err
	}
	if err := l.difficulty(); err != nil {
		return err
	}
	if err := l.spec.Problem.Check(); err != nil {
		return l.src.at("budget", "%v", err)
	}
	return nil
}

// limit lowers a budget that was not given to the number of queries.
func (s *Spec) limit(p *game.Problem) {
	if s.roomy {
		p.T = min(p.T, p.Queries())
	}
}

// dontKnow sets what "don't know" costs where the policy is put to work; nothing is trained or
// judged otherwise for it.
func (l *loader) dontKnow() error {
	switch known := []string{nn.DontKnowFree, nn.DontKnowSpends}; {
	case l.raw.DontKnow == "" && !l.has("dont-know"):
		return nil
	case !slices.Contains(known, l.raw.DontKnow):
		return l.src.at("dont-know", "%s", Unknown("dont-know", l.raw.DontKnow, known))
	}
	if l.raw.DontKnow == nn.DontKnowSpends {
		l.spec.DontKnow = l.raw.DontKnow
	}
	return nil
}

// rules returns the budget and ask-once, which may stand under problem: or at the top. A table
// that does not say so is asked once: people give the same answer again.
func (l *loader) rules(of kind) (budget int, once bool, err error) {
	budget = defaultBudget
	if l.raw.Budget != nil {
		budget = *l.raw.Budget
	}
	if budget < 1 || budget > mostBudget {
		return 0, false, l.src.at("budget", "budget is %d; it must be from 1 to %d", budget, mostBudget)
	}
	top, inner := l.raw.AskOnce, l.raw.Problem.AskOnce
	if top != nil && inner != nil && *top != *inner {
		return 0, false, l.src.at("problem.ask-once", "ask-once is %v here and %v at the top: keep one", *inner, *top)
	}
	if given := cmp.Or(top, inner); given != nil {
		return budget, *given, nil
	}
	return budget, of.key == "table", nil
}

// instances reads the rows Θ is restricted to.
func (l *loader) instances() error {
	if l.raw.Instances == "" && !l.has("instances") {
		return nil
	}
	path, err := l.find("instances", l.raw.Instances)
	if err != nil {
		return err
	}
	l.spec.instances = path
	l.spec.Instances, err = dataset.ReadInstances(path, l.spec.Problem)
	return err
}

// rivals sets the rivals by the name they print, so that results name each one way; the same rival
// under two spellings would be judged twice.
func (l *loader) rivals() error {
	names := l.raw.Evaluate.Rivals
	if names == nil {
		names = rival.Usual(l.spec.Problem)
	}
	for i, name := range names {
		at := fmt.Sprintf("evaluate.rivals[%d]", i)
		if name == BayesLAL {
			if err := rival.Trained(l.spec.Problem); err != nil {
				return l.src.at(at, "rival %s %v", name, err)
			}
		} else {
			canonical, err := rival.Name(l.spec.Problem, l.spec.Loss, name)
			if err != nil {
				return l.src.at(at, "%s", rivalFault(err, name))
			}
			name = canonical
		}
		if slices.Contains(l.spec.Rivals, name) {
			return l.src.at(at, "rival %s stands twice: remove one", name)
		}
		l.spec.Rivals = append(l.spec.Rivals, name)
	}
	return nil
}

// rivalFault returns the baseline's error, but an unknown name may also be the
// trained rival's.
func rivalFault(err error, name string) string {
	if errors.Is(err, rival.ErrUnknown) {
		return Unknown("rival", name, append(rival.Names(), BayesLAL))
	}
	return err.Error()
}

// priors sets the averages to report; data adds its own unless told otherwise.
func (l *loader) priors() error {
	names := l.raw.Evaluate.Priors
	switch {
	case names != nil:
	case l.spec.Table != nil:
		names = rowPriors
	default:
		names = l.spec.kind.priors
	}
	if names == nil {
		names = slices.Clone(defaultPriors)
		if l.spec.rows != nil {
			names = append(names, l.spec.rowPrior)
		}
	}
	seen := map[string]bool{}
	for i, name := range names {
		at := fmt.Sprintf("evaluate.priors[%d]", i)
		prior, err := l.spec.Prior(name)
		if err != nil {
			return l.src.at(at, "%v", err)
		}
		if seen[prior.Name()] {
			return l.src.at(at, "prior %s stands twice: remove one", prior.Name())
		}
		seen[prior.Name()] = true
		l.spec.Priors = append(l.spec.Priors, prior)
	}
	return nil
}

// objective's prior is averaged over like those under evaluate:, so that what the
// weight bought can be seen.
func (l *loader) objective() error {
	raw := l.raw.Objective
	switch {
	case raw == nil:
		return nil
	case raw.Average == "" || raw.Weight == nil:
		return l.src.at("objective", "objective needs a prior and a weight, such as objective: {average: flip:0.8, weight: 0.1}")
	case !(*raw.Weight >= 0 && *raw.Weight < 1):
		return l.src.at("objective.weight", "weight is %g; the average's must be from 0 to below 1, the worst gap has the rest", *raw.Weight)
	}
	prior, err := l.spec.Prior(raw.Average)
	if err != nil {
		return l.src.at("objective.average", "%v", err)
	}
	l.spec.Objective = Objective{prior, *raw.Weight}
	if !slices.Contains(l.spec.priorNames(), prior.Name()) {
		l.spec.Priors = append(l.spec.Priors, prior)
	}
	return nil
}

// Prior returns the prior of that name on the spec's problem: flip:h, noiseless, box, or one
// of the data's own instances: table (a table's or 20 Questions' rows), users
// (Jester's).
func (s *Spec) Prior(name string) (game.Prior, error) {
	if prior, ok := game.ParsePrior(s.Problem, name); ok {
		return prior, nil
	}
	kind, _, _ := strings.Cut(name, ":")
	_, flips := game.ParsePrior(s.Problem, defaultPriors[0])
	switch {
	case !flips:
		return nil, fmt.Errorf("unknown prior %q; of %s there is %s", name, s.kind.name, strings.Join(s.kind.priors, ", "))
	case s.Table != nil && strings.HasPrefix(name, "table"):
		return nil, fmt.Errorf("prior %q: the share of answers flipped must be from 0 to 0.5, or two of them, such as table+flip:0.1 or table+flip:0.05-0.2", name)
	case name == s.rowPrior && s.rows != nil:
		return game.Rows(name, s.rows), nil
	case name == "table":
		return nil, fmt.Errorf("prior table needs a problem that is a table%s", s.instead())
	case name == "users":
		return nil, fmt.Errorf("prior users needs a problem that has users (jester)%s", s.instead())
	case kind == "flip":
		return nil, fmt.Errorf("prior %q: a sign is kept with a probability from 0 to 1, such as flip:0.8", name)
	}
	return nil, fmt.Errorf("%s", Unknown("prior", name, []string{"flip:0.8", "noiseless", "box", "table", "users"}))
}

// instead names the prior that draws the data's own instances, if there is one.
func (s *Spec) instead() string {
	if s.rows == nil {
		return ""
	}
	return "; this one's own instances are prior " + s.rowPrior
}

// games may be left to the scale, not set to none.
func (l *loader) games() error {
	if n := l.raw.Evaluate.Games; n < 0 || n == 0 && l.has("evaluate.games") || n > 1e9 {
		return l.src.at("evaluate.games", "games is %d; it must be from 1 to 1e9", n)
	}
	return nil
}
