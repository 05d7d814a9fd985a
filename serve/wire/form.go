package wire

import (
	"fmt"
	"net/http"
	"strings"

	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
)

// Form is how the answers of one kind are sent and told. A kind that is not known here has the form of yes and no.
type Form interface {
	// Read returns the answer that a request gives. at says where it stands there.
	Read(r Reply, at string) (play.Answer, error)
	// Spoken returns the answer that an agent gives by a text which is not a word for an answer of yes and no, and else which
	// texts it may give.
	Spoken(text string) (a play.Answer, ok bool, are string)
	// Classes are the classes by name, where answers are sent by the names of classes.
	Classes() []string
	// Example is an answer in JSON.
	Example() any
	// Describe fills in what a policy's traits say of its answers. It has so many items, and explores a share of them.
	Describe(t *Traits, items int, explore float64)
	// Show fills in what a session says of its answers, where no question may come twice or all may.
	Show(v *View, once bool)
	// Hash writes what of the answers a game depends on, beyond the goal.
	Hash(write func(any))
	// Truths returns why truths of a policy's games are not told.
	Truths(policy string) error
	// Labelled returns why a policy's answers are not labels.
	Labelled(policy string) error
}

// FormOf returns the form of the answers to p's questions.
func FormOf(p *game.Problem) Form {
	switch a := p.Answer().(type) {
	case game.Classes:
		return classForm{answer: a}
	case game.Answers:
		return numberForm{answer: a}
	}
	return yesNoForm{}
}

// AnyForm reads the answers to questions of which nothing is known.
var AnyForm Form = anyForm{}

// yesNoForm is that of answers of yes and no.
type yesNoForm struct{}

func (yesNoForm) Read(r Reply, at string) (play.Answer, error) { return r.YesNo(at) }

func (yesNoForm) Spoken(string) (play.Answer, bool, string) {
	return play.DontKnow, false, "yes, no, probably, probably not, don't know"
}

func (yesNoForm) Classes() []string { return nil }

func (yesNoForm) Example() any { return true }

func (yesNoForm) Describe(*Traits, int, float64) {}

func (yesNoForm) Show(v *View, once bool) { v.Halves = once }

func (yesNoForm) Hash(func(any)) {}

func (yesNoForm) Truths(string) error { return nil }

func (yesNoForm) Labelled(policy string) error {
	return Refuse(http.StatusConflict, "the policy %q asks queries, and not the classes of items: get the session's answers at /export", policy)
}

// untold refuses truths of games whose answers are not yes and no.
func untold(policy, what string) error {
	return Refuse(http.StatusConflict, "the answers of the policy %q are %s, and truths are told of games of yes and no, which tables learn from", policy, what)
}

// numberForm is that of answers that are numbers.
type numberForm struct {
	yesNoForm
	answer game.Answers
}

func (f numberForm) Read(r Reply, at string) (play.Answer, error) {
	return measured(r, at, f.answer.Largest())
}

// measured returns the number that a request gives.
func measured(r Reply, at string, largest float64) (play.Answer, error) {
	if y := r.Answer.Value(); r.Word || r.Answer == play.DontKnow && r.Text != "" || !(-largest <= y && y <= largest) {
		return r.Answer, r.Fault(at, fmt.Sprintf("an answer is %s; the answers of this policy are numbers: send one from %g to %g, or null (don't know)", r.Text, -largest, largest))
	}
	return r.Answer, nil
}

func (f numberForm) Spoken(text string) (play.Answer, bool, string) { return spoken(f.answer, text) }

// spoken reads a text as people write answers.
func spoken(answer game.Answer, text string) (a play.Answer, ok bool, are string) {
	y, ok := answer.Read(text, table.Fold)
	return play.Number(y), ok, answer.Are(Plain, mostListed)
}

func (numberForm) Example() any { return 0.25 }

func (f numberForm) Describe(t *Traits, _ int, _ float64) {
	t.Answers = &Gaussian{f.answer.Sigma, f.answer.Bound}
}

func (numberForm) Show(v *View, once bool) { v.Halves, v.Numbers = once, true }

func (f numberForm) Hash(write func(any)) { write([]float64{f.answer.Sigma, f.answer.Bound}) }

func (numberForm) Truths(policy string) error { return untold(policy, "numbers") }

// classForm is that of answers that are classes of items.
type classForm struct {
	yesNoForm
	answer game.Classes
}

func (f classForm) Read(r Reply, at string) (play.Answer, error) {
	switch y, known := f.answer.Read(r.Class, table.Fold); {
	case r.Class != "" && known:
		return play.Number(y), nil
	case r.Answer == play.DontKnow && r.Text == "":
		return r.Answer, nil
	case r.Class == "" && !r.Word && r.Answer != play.DontKnow && f.answer.Fit(r.Answer.Value(), false) == nil:
		return r.Answer, nil
	}
	told := r.Text
	if told == "" {
		told = Number(r.Answer.Value())
	}
	are := strings.TrimSuffix(f.answer.Are(Plain, mostListed), " or don't know")
	return r.Answer, r.Fault(at, fmt.Sprintf("an answer is %s; want %s, its number from 0 to %d, or null (don't know)", told, are, len(f.Classes())-1))
}

func (f classForm) Spoken(text string) (play.Answer, bool, string) { return spoken(f.answer, text) }

func (f classForm) Classes() []string { return f.answer.Names() }

func (f classForm) Example() any { return f.Classes()[0] }

func (f classForm) Describe(t *Traits, items int, explore float64) {
	t.Labels = &Pool{f.Classes(), items, explore}
}

func (f classForm) Show(v *View, _ bool) { v.Classes = f.Classes() }

func (classForm) Truths(policy string) error { return untold(policy, "classes of items") }

func (classForm) Labelled(string) error { return nil }

// anyForm is that of a game whose policy is gone.
type anyForm struct{ yesNoForm }

// noClass stands for a class where it is not known which there are.
var noClass = play.Class(-1)

func (anyForm) Read(r Reply, at string) (play.Answer, error) {
	switch {
	case r.Class != "":
		return noClass, nil
	case !r.Word && r.Text != "":
		return measured(r, at, game.MostNumber)
	}
	return r.YesNo(at)
}

// mostListed is how many classes a message lists.
const mostListed = 12

// AnswersAre says in words which texts are answers to p's questions.
func AnswersAre(p *game.Problem) string { return p.Answer().Are(Plain, mostListed) }
