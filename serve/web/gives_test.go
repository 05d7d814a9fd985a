package web

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// rowsFile writes a policy file on rows with averages and levels, and returns its path.
func rowsFile(t *testing.T, id string, p *game.Problem, change func(*nn.Contract)) string {
	t.Helper()
	return servetest.Write(t, t.TempDir(), id, p, func(c *nn.Contract) {
		for i, prior := range []string{"table", "table+flip:0.1", "table+flip:0.05-0.2", "answers:theirs", "answers:theirs, worst tenth"} {
			wrong := 0.056 + 0.1*float64(i)
			c.Averages = append(c.Averages, nn.Average{Prior: prior, Wrong: wrong, Lo: wrong - 0.003, Hi: wrong + 0.003, Games: 20000})
		}
		for k, covers := range []float64{0.12, 0.69, 1} {
			c.Levels[k].Covers = covers
		}
		if change != nil {
			change(c)
		}
	})
}

// stated are the sentences of [rowsFile], and of a file of majorities with its three levels.
var (
	statedRows = []string{
		"If answers are as the table says: right in 94.4 % [94.1, 94.7] of full games",
		"If one answer in ten is wrong: right in 84.4 % [84.1, 84.7] of full games",
		"With the answers of theirs: right in 64.4 % [64.1, 64.7] of full games",
		"At worst, at difficulty up to 16, which covers 69 % of the table’s rows: right in 70.0 % [69.0, 71.0] of full games",
	}
	statedMajorities = []string{
		"At worst, at difficulty up to 8: right in 80.0 % [79.0, 81.0] of full games",
		"At worst, at difficulty up to 32: right in 60.0 % [59.0, 61.0] of full games",
	}
)

func spaced(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// TestGives: the list of policies, a policy's page, the terminal and an agent say how often a policy is right on average and at
// worst, in the same words. Of one that was not trained there is nothing to say.
func TestGives(t *testing.T) {
	p := servetest.RowsOf(t, 4, servetest.FourRows()...).Problem()
	paths := []string{rowsFile(t, "rows", p, nil), servetest.Write(t, t.TempDir(), "majority", dataset.Thresholds(5, 4), nil)}
	set, err := policies.NewSet(paths, policies.Open)
	must(t, err)
	h := New(set, nil, Options{}).Handler()
	var list wire.PolicyList
	get(t, h, "/v1/policies", &list)
	want := map[string][]string{"rows": statedRows, "majority": statedMajorities}
	for _, s := range list.Policies {
		var page wire.PolicyPage
		get(t, h, "/v1/policies/"+s.ID, &page)
		for i, gives := range [][]wire.Gives{s.Gives, page.Gives} {
			var texts []string
			for _, g := range gives {
				texts = append(texts, spaced(g.Text))
			}
			if !slices.Equal(texts, want[s.ID]) {
				t.Errorf("%s, reply %d: %q, want %q", s.ID, i, texts, want[s.ID])
			}
		}
		if got := set.Get(s.ID).Stated(); spaced(strings.Join(got, "|")) != strings.Join(want[s.ID], "|") {
			t.Errorf("an agent is told %q", got)
		}
	}
	first := list.Policies[slices.IndexFunc(list.Policies, func(s wire.PolicySummary) bool { return s.ID == "rows" })].Gives
	if g := first[1]; g.Answers != "one answer in ten wrong" || g.Prior != "table+flip:0.1" || g.Loss < 0.155 || g.Loss > 0.157 || spaced(g.Amount) != "84.4 % [84.1, 84.7]" || g.R != 0 {
		t.Errorf("an average is %+v", g)
	}
	if g := first[3]; g.R != 16 || g.Covers != 0.69 || g.Prior != "" || g.Lo >= g.Loss || g.Loss >= g.Hi {
		t.Errorf("a worst case is %+v", g)
	}
	untrained := servetest.RowsOf(t, 4, servetest.FourRows()...)
	if got := untrained.Summary().Traits.Gives; got == nil || len(got) != 0 || !slices.Equal(untrained.Stated(), []string{policies.UntrainedNote}) {
		t.Errorf("untrained: %+v and %q", got, untrained.Stated())
	}
	measured, err := policies.Untrained("t", untrained.Problem(), rival.Uniform(untrained.Problem()), policies.Rules{Stop: 0.9, Averages: []nn.Average{{Prior: "table", Wrong: 0.25, Lo: 0.2, Hi: 0.3, Games: 300}}})
	must(t, err)
	say := []string{"If answers are as the table says: right in 75.0 % [70.0, 80.0] of games that end once sure to 90 %", policies.UntrainedNote}
	if got := measured.Stated(); len(measured.Summary().Traits.Gives) != 1 || spaced(strings.Join(got, "|")) != strings.Join(say, "|") {
		t.Errorf("untrained, with an average: %q", got)
	}
}

// TestTerminalGives: the terminal says it before a game, and at the end of one the first average and the worst case.
func TestTerminalGives(t *testing.T) {
	p := servetest.RowsOf(t, 4, servetest.FourRows()...).Problem()
	served, err := policies.Open(rowsFile(t, "rows", p, nil))
	must(t, err)
	var out bytes.Buffer
	g := terminal.Game{Policy: served, Out: &out, Read: func(context.Context) (string, error) { return "yes", nil }}
	must(t, g.Play(t.Context()))
	text := spaced(out.String())
	if want := "Its contract says:\n  " + strings.Join(statedRows, "\n  ") + "\n"; !strings.Contains(text, want) {
		t.Errorf("the beginning lacks %q:\n%s", want, text)
	}
	if want := "Its contract says:\n  " + statedRows[0] + "\n  " + statedRows[3] + "\n"; !strings.Contains(text, want) {
		t.Errorf("the end lacks %q:\n%s", want, text)
	}
}

// TestGivesInBrowser: the cards of the first page, a policy's page and the end of a game say the same, at both widths.
func TestGivesInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	p := servetest.RowsOf(t, 4, servetest.FourRows()...).Problem()
	early := func(c *nn.Contract) {
		c.Stopping = "confidence:0.9"
		for i := range c.Averages {
			c.Averages[i].Questions = &nn.Questions{Mean: 13.94, Lo: 13.8, Hi: 14.1}
		}
	}
	paths := []string{rowsFile(t, "rows", p, nil), rowsFile(t, "early", p, early), servetest.Write(t, t.TempDir(), "majority", dataset.Thresholds(5, 4), nil)}
	set, err := policies.NewSet(paths, policies.Open)
	must(t, err)
	b := newTab(t, browser, "http://"+listen(t, New(set, nil, Options{Version: "test"})))
	b.open("/")
	b.wait(`document.querySelector("details")`)
	b.looks("policies")
	for id, want := range map[string]string{
		"rows": "Answers|Right in|the table’s own answers|94.4 % [94.1, 94.7]|one answer in ten wrong|84.4 % [84.1, 84.7]|" +
			"the answers of theirs|64.4 % [64.1, 64.7]|the worst case found, up to r = 16 (69 % of the rows)|70.0 % [69.0, 71.0]",
		"early": "Answers|Right in|Questions|the table’s own answers|94.4 % [94.1, 94.7]|13.9|one answer in ten wrong|84.4 % [84.1, 84.7]|13.9|" +
			"the answers of theirs|64.4 % [64.1, 64.7]|13.9|the worst case found, up to r = 16 (69 % of the rows)|70.0 % [69.0, 71.0]|",
		"majority": "Answers|Right in|the worst case found, up to r = 8|80.0 % [79.0, 81.0]|the worst case found, up to r = 32|60.0 % [59.0, 61.0]",
	} {
		b.open("/")
		b.wait(`document.querySelector("details")`)
		if got := js[[]string](b, `[...document.querySelectorAll(".card")].filter((c) => c.querySelector("h2").textContent === "`+id+`").flatMap((c) => [...c.querySelectorAll("th, td")].map((e) => e.textContent))`); spaced(strings.Join(got, "|")) != want {
			t.Errorf("the card of %s says %q, want %s", id, got, want)
		}
		b.open("/policies/" + id)
		b.wait(`document.getElementById("gives")`)
		b.looks("policy-" + id)
		if got := js[[]string](b, `[...document.querySelectorAll("#gives th, #gives td")].map((e) => e.textContent)`); spaced(strings.Join(got, "|")) != want {
			t.Errorf("the page of %s says %q, want %s", id, got, want)
		}
		games := map[string]string{"early": "Games end once sure to 90 %."}[id]
		if text := spaced(b.all()); games != "" && !strings.Contains(text, games) || games == "" && !strings.Contains(text, "Games have all their answers.") {
			t.Errorf("the page of %s does not say of which games it speaks", id)
		}
	}
	b.open("/play/majority#seed=3")
	b.wait(`document.getElementById("question")`)
	for n := range 4 {
		b.turn(true, "y", n+1)
	}
	b.press(true, "y") // the guess
	b.wait(`document.getElementById("result")`)
	if got := spaced(b.all()); !strings.Contains(got, "The contract: "+statedMajorities[1]+".") || strings.Contains(got, statedMajorities[0]) {
		t.Errorf("at the end of a game the page says %q", got)
	}
	b.clean()
}
