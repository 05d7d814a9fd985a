package wire

import "time"

// MostProposed is how many characters a proposed object or question may have.
const MostProposed = 200

// TruthRequest tells what a session was about.
type TruthRequest struct {
	Truth string `json:"truth" minLength:"1" maxLength:"1000" doc:"what it was: the name of an object, compared without case and marks"`
	New   bool   `json:"new,omitempty" doc:"propose it as a new object, where there is none of that name; then it has 200 characters at most"`
}

// TruthView is a truth as it was told.
type TruthView struct {
	Text       string   `json:"text"`
	Known      bool     `json:"known" doc:"whether it is an object of the table; false: it is proposed"`
	Place      int      `json:"place,omitempty" doc:"among the hypotheses at the end, from 1; absent where there is no posterior or it is not known" minimum:"1"`
	Confidence *float64 `json:"confidence,omitempty" doc:"its probability at the end if answers follow the table"`
}

// GameRequest is a game that was played elsewhere.
type GameRequest struct {
	TruthRequest
	Recommendation string         `json:"recommendation,omitempty" maxLength:"1000" doc:"what was recommended at the end"`
	History        []HistoryEntry `json:"history" minItems:"1" doc:"its answers, in order"`
}

// GameReply is a game that is kept.
type GameReply struct {
	ID    string    `json:"id" doc:"the policy's id and the key; questions name it, and it is withdrawn by the key"`
	Truth TruthView `json:"truth"`
}

// QuestionRequest proposes a question that would have helped.
type QuestionRequest struct {
	Text   string `json:"text" minLength:"1" maxLength:"200" doc:"the question, to be answered by yes or no"`
	Answer Reply  `json:"answer,omitempty,omitzero" doc:"to it, yes or no, for the truth of the game"`
	Game   string `json:"game,omitempty" maxLength:"400" doc:"the game it would have helped in: a session's id, or that of a game played elsewhere"`
}

// ObjectList completes a name.
type ObjectList struct {
	Objects []string `json:"objects" nullable:"false" doc:"those that begin with the text, then those with a word that does, then those that contain it"`
}

// Review is what waits for a person's decision, and what the table has learned.
type Review struct {
	Proposals []ProposalView `json:"proposals" nullable:"false" doc:"open, the oldest first; 100 at most"`
	SetAside  []AsideView    `json:"set_aside" nullable:"false" doc:"clients whose games do not count"`
	Version   int            `json:"version" doc:"the newest version of the table"`
	Games     int            `json:"games" doc:"that it is learned from"`
	Built     *time.Time     `json:"built,omitempty" doc:"when; absent: there is none yet"`
}

// ProposalView is a proposed object or question.
type ProposalView struct {
	ID      int64     `json:"id"`
	Kind    string    `json:"kind" enum:"object,question"`
	Text    string    `json:"text"`
	Answer  Reply     `json:"answer" doc:"to a question, by the client that proposes it; null where it gave none"`
	Truth   string    `json:"truth,omitempty" doc:"of the game in which a question would have helped"`
	Games   int       `json:"games" doc:"of an object: told games whose truth it is"`
	Similar []string  `json:"similar" nullable:"false" doc:"names that the table has and that may be meant"`
	Created time.Time `json:"created"`
}

// AsideView is a client whose games are set aside.
type AsideView struct {
	Client   string    `json:"client" doc:"a name that does not tell who it is"`
	Games    int       `json:"games"`
	Median   float64   `json:"median" doc:"log-likelihood of its games, the median, under a table learned without it"`
	Quantile float64   `json:"quantile" doc:"the 1 % quantile of the other games: the median lies below it"`
	Since    time.Time `json:"since"`
}

// DecisionRequest decides about a proposal, or takes a client's games back into the table.
type DecisionRequest struct {
	Proposal int64    `json:"proposal,omitempty" minimum:"1" doc:"that is accepted or rejected"`
	Client   string   `json:"client,omitempty" maxLength:"200" doc:"that is restored"`
	Decision string   `json:"decision" enum:"accept,reject,restore"`
	As       string   `json:"as,omitempty" maxLength:"1000" doc:"the name to accept it by: a corrected spelling, or one that the table has"`
	Yes      []string `json:"yes,omitempty" maxItems:"100" doc:"objects for which the answer to an accepted question is yes"`
	No       []string `json:"no,omitempty" maxItems:"100" doc:"objects for which the answer is 'no'"`
}
