package learning

import (
	"context"
	"slices"
	"strings"
	"sync"

	"mapo/data/table"
	"mapo/serve/database"
	"mapo/serve/policies"
)

// Lexicon finds a policy's objects and questions by their names. It is read-only once made.
type Lexicon struct {
	*database.Vocabulary
	base       *policies.Policy  // whose names it holds
	changes    int64             // [Learning.Changes] before it was read
	Names      *policies.Objects // what the base has or was accepted
	indices    []int             // of each of names, in the vocabulary
	QuestionOf map[string]int    // the index of each text, by table.Fold; only of what the base has or was accepted
}

// lexicons are those of the policies that truths were told of lately.
type lexicons struct {
	mu   sync.Mutex
	byID map[string]*Lexicon
}

func (l *lexicons) get(id string) *Lexicon {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id]
}

func (l *lexicons) put(id string, one *Lexicon) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*Lexicon{}
	}
	l.byID[id] = one
}

// Lexicon returns that of a policy in service. Where the store does not have a name of its base it is added there.
func (t *Tables) Lexicon(ctx context.Context, p *policies.Policy) (*Lexicon, error) {
	if l := t.lexicons.get(p.ID); l != nil && l.base == p.Given() {
		return l, nil
	}
	return t.enlist(ctx, p.Given())
}

// Knows reports whether a truth is about objects, as far as this server has read their names.
func (t *Tables) Knows(id, truth string) bool {
	l := t.lexicons.get(id)
	if l == nil {
		return false
	}
	_, ok := l.Names.Find(truth)
	return ok
}

// enlist reads a policy's names from the store again.
func (t *Tables) enlist(ctx context.Context, base *policies.Policy) (*Lexicon, error) {
	now, err := t.store.Learning(ctx, base.ID)
	if err != nil {
		return nil, err
	}
	v, err := t.store.Enlist(ctx, base.ID, base.Objects(), base.Problem().X)
	if err != nil {
		return nil, err
	}
	l := newLexicon(base, v)
	l.changes = now.Changes
	t.lexicons.put(base.ID, l)
	return l, nil
}

// Renewed returns the lexicon as it is now, where names may have been accepted since l was read; else l.
func (t *Tables) Renewed(ctx context.Context, l *Lexicon) (*Lexicon, error) {
	now, err := t.store.Learning(ctx, l.base.ID)
	if err != nil || now.Changes == l.changes {
		return l, err
	}
	return t.enlist(ctx, l.base)
}

func newLexicon(base *policies.Policy, v *database.Vocabulary) *Lexicon {
	l := &Lexicon{Vocabulary: v, base: base, QuestionOf: map[string]int{}}
	var list []string
	for i, name := range alive(v.Objects, base.Objects()) {
		if name != "" {
			list, l.indices = append(list, name), append(l.indices, i)
		}
	}
	l.Names = policies.NewObjects(list)
	for i, text := range alive(v.Questions, base.Problem().X) {
		if text != "" {
			l.QuestionOf[table.Fold(text)] = i
		}
	}
	return l
}

// alive returns the text of each name that base has or that was accepted, "" for others.
func alive(list []database.Name, base []string) []string {
	has := make(map[string]bool, len(base))
	for _, text := range base {
		has[table.Fold(text)] = true
	}
	texts := make([]string, len(list))
	for i, name := range list {
		if name.Accepted || has[table.Fold(name.Text)] {
			texts[i] = name.Text
		}
	}
	return texts
}

// ObjectsOf returns the objects that a truth names, in order: one, or those that a hypothesis of p or of the base such as
// "A or B" stands for. ok is false where one of them is not an object, or where they are several hypotheses: a game that
// counted for all the objects that a client cares to list would outweigh what the cap leaves to the others.
func (l *Lexicon) ObjectsOf(truth string, p *policies.Policy) (list []int, ok bool) {
	found, ok := l.Names.Find(truth)
	if !ok && p != nil {
		if k := p.Hypothesis(truth); k >= 0 {
			for _, name := range p.Of(k) {
				one, known := l.Names.Find(name)
				found, ok = append(found, one...), known
				if !known {
					break
				}
			}
		}
	}
	if !ok || len(found) > 1 && !l.merged(truth, p) {
		return nil, false
	}
	for _, i := range found {
		list = append(list, l.indices[i])
	}
	slices.Sort(list)
	return slices.Compact(list), len(list) > 0
}

// Several reports whether a text names more than one object.
func (l *Lexicon) Several(text string) bool {
	found, ok := l.Names.Find(text)
	return ok && len(found) > 1
}

// merged reports whether the objects that a truth names are one hypothesis of p or of the base.
func (l *Lexicon) merged(truth string, p *policies.Policy) bool {
	return p != nil && p.Hypothesis(truth) >= 0 || l.base.Hypothesis(truth) >= 0
}

// Text returns the objects' names as one text.
func (l *Lexicon) Text(list []int) string {
	texts := make([]string, len(list))
	for i, object := range list {
		texts[i] = l.Objects[object].Text
	}
	return strings.Join(texts, " or ")
}
