package wire

import (
	"time"

	"mapo/game/play"
)

// NewSession is what a session is made from.
type NewSession struct {
	Policy     string   `json:"policy" doc:"the policy's id" maxLength:"255"`
	Title      string   `json:"title,omitempty" doc:"for people to tell sessions apart" maxLength:"200"`
	Seed       *uint64  `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"draws the queries; any where none is given"`
	StopMargin float64  `json:"stop_margin,omitempty" minimum:"0" maximum:"1000000" doc:"end as soon as the recommendation leads by this much; 0: never; only for policies without a posterior"`
	Stop       *float64 `json:"stop,omitempty" minimum:"0" exclusiveMaximum:"1" doc:"end as soon as the recommendation has this probability, above 0.5; 0: never; the policy's own where none is given"`
	Guess      bool     `json:"guess,omitempty" doc:"guess before the session ends: the state is then guess, answered at /guess"`
	Labelling  bool     `json:"labelling,omitempty" doc:"for labelling: its truth is kept, and teaches nothing unless the server is told to"`
	Mask       []int    `json:"mask,omitempty" doc:"indices of queries not to be asked first"`
}

// View is a session as a client sees it.
type View struct {
	ID          string     `json:"id"`
	Title       string     `json:"title,omitempty"`
	Policy      PolicyRef  `json:"policy"`
	Seed        uint64     `json:"seed"`
	StopMargin  float64    `json:"stop_margin,omitempty"`
	Stop        float64    `json:"stop,omitempty" doc:"the probability of the recommendation at which the session ends; absent: it does not end early"`
	Created     time.Time  `json:"created"`
	Expires     *time.Time `json:"expires,omitempty" doc:"if nothing more happens; absent: never"`
	State       string     `json:"state" enum:"open,guess,done,stale" doc:"guess: say whether the guess is right; done: nothing is left to ask, the session is as sure as it was to be, or a guess was right; stale: its policy now plays another game, or the version of its table is not kept any more"`
	Step        int        `json:"step" doc:"to be named when answering or undoing"`
	Query       *play.Text `json:"query" doc:"to be answered now; null where there is none"`
	Probability float64    `json:"probability,omitempty" doc:"with which the query was drawn"`
	Guess       *play.Text `json:"guess" doc:"is it this? answered at /guess; null where nothing is guessed"`
	Said
	Margin    float32     `json:"margin" doc:"the recommendation's lead, as in runners_up; 0 in a tie"`
	Remaining int         `json:"remaining" doc:"answers left"`
	Answers   int         `json:"answers" doc:"answers that count, without don't know"`
	Learning  bool        `json:"learning,omitempty" doc:"whether the table learns from the session once its truth is told"`
	Halves    bool        `json:"half_answers,omitempty" doc:"whether 0.5 and -0.5 are taken"`
	Numbers   bool        `json:"number_answers,omitempty" doc:"whether answers are numbers, and not yes or no"`
	Classes   []string    `json:"classes,omitempty" nullable:"false" doc:"the answers that there are, where the session labels the items of a pool: a query is then an item, and hypotheses are models"`
	Truth     *TruthView  `json:"truth,omitempty" doc:"what it was, where that was told; the session is then done"`
	History   []TurnEntry `json:"history,omitempty" nullable:"false"`
}

// TurnEntry is a closed turn.
type TurnEntry struct {
	Step        int        `json:"step"`
	Query       *play.Text `json:"query"`
	Guess       *play.Text `json:"guess,omitempty" doc:"what was guessed"`
	Outcome     string     `json:"outcome" enum:"answer,dont-know,skip,right,wrong,undo"`
	Answer      Reply      `json:"answer"`
	Probability float64    `json:"probability" doc:"with which the query was drawn"`
	Policy      string     `json:"policy_hash" doc:"of the policy that drew it"`
	Annotator   string     `json:"annotator,omitempty"`
	Asked       time.Time  `json:"asked"`
	Answered    time.Time  `json:"answered"`
	Undone      int        `json:"undone,omitempty" doc:"the step that took the answer back"`
}

// States of a session.
const (
	StateOpen  = "open"
	StateGuess = "guess"
	StateDone  = "done"
	StateStale = "stale"
)

// Said is what the answers so far say of the hypotheses, in every reply.
type Said struct {
	Recommendation *play.Text    `json:"recommendation" doc:"the hypothesis that fits the answers best, of several the one that the seed draws; null while all hypotheses tie and answers are left, and in a stale session"`
	Confidence     *float64      `json:"confidence" doc:"the probability that the recommendation is right if answers follow the table; null where nothing is recommended or there is no posterior" minimum:"0" maximum:"1"`
	Tied           int           `json:"tied" minimum:"0" doc:"how many hypotheses share the lead, the recommendation among them; 1: it leads alone; 0 in a stale session"`
	Agreed         *int          `json:"agreed,omitempty" doc:"of a pool: how many of the labels so far the recommended model predicts" minimum:"0"`
	RunnersUp      []play.Ranked `json:"runners_up" nullable:"false" doc:"the next best hypotheses, the best first; empty where nothing is recommended"`
	Misfit         bool          `json:"misfit,omitempty" doc:"the answers do not fit the recommendation: fewer than one in a hundred games of its own would fit it so badly"`
	Pro            []play.Reason `json:"pro,omitempty" nullable:"false" doc:"at the end, and where about is given: the answers that spoke most for that hypothesis"`
	Contra         []play.Reason `json:"contra,omitempty" nullable:"false" doc:"the same: the answers that spoke most against it"`
	Contradiction  []play.Near   `json:"contradiction,omitempty" nullable:"false" doc:"no row gives these answers, which were to be exact: the closest rows, with the queries on which they differ; the game goes on as if some answers were wrong"`
}

// GuessRequest says whether the guess of a step is right.
type GuessRequest struct {
	Step  int   `json:"step" minimum:"1" maximum:"1000000000" doc:"the step of the guess, as the session told it"`
	Right bool  `json:"right" doc:"whether it is what is guessed"`
	Mask  []int `json:"mask,omitempty" doc:"indices of queries not to be asked next"`
}

// AnswerRequest answers one step.
type AnswerRequest struct {
	Step      int    `json:"step" minimum:"1" maximum:"1000000000" doc:"the step that is answered, as the session told it"`
	Answer    Reply  `json:"answer"`
	Skip      bool   `json:"skip,omitempty" doc:"the query was passed over: as don't know, and distinct in exports"`
	Query     *Ref   `json:"query,omitempty" doc:"the query that was answered, to be sure: another one is a conflict"`
	Annotator string `json:"annotator,omitempty" maxLength:"100" doc:"who answered"`
	Mask      []int  `json:"mask,omitempty" doc:"indices of queries not to be asked next"`
}

// UndoRequest takes the last answer back.
type UndoRequest struct {
	Step int   `json:"step" minimum:"1" maximum:"1000000000" doc:"the step the session is at"`
	Mask []int `json:"mask,omitempty" doc:"indices of queries not to be asked next"`
}

// MaskRequest says which queries are not to be asked.
type MaskRequest struct {
	Mask []int `json:"mask,omitempty" doc:"indices of queries not to be asked now"`
}

// SessionList is a page of the list of sessions.
type SessionList struct {
	Sessions []SessionSummary `json:"sessions" nullable:"false" doc:"by id"`
}

// SessionSummary is one line of the list of sessions.
type SessionSummary struct {
	ID      string    `json:"id"`
	Policy  string    `json:"policy"`
	Title   string    `json:"title,omitempty"`
	Created time.Time `json:"created"`
	Touched time.Time `json:"touched"`
}

// ExportRow is a closed turn in a JSONL export, with what the whole session recommends when it is exported.
type ExportRow struct {
	Session string `json:"session"`
	Policy  string `json:"policy"`
	TurnEntry
	Title          string     `json:"title,omitempty"`
	Recommendation *play.Text `json:"recommendation" doc:"the session's when it is exported; null while all hypotheses tie and answers are left, and in a stale session"`
	Tied           int        `json:"tied" minimum:"0" doc:"how many hypotheses share the lead; 0 in a stale session"`
	Confidence     *float64   `json:"confidence" doc:"the recommendation's probability; null where there is no posterior"`
	Truth          string     `json:"truth" doc:"what the session was about, as told; empty: it was not told"`
}
