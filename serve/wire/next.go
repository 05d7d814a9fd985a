package wire

import "mapo/game/play"

// NextRequest is a game so far, of which the next query is asked.
type NextRequest struct {
	History  []HistoryEntry `json:"history,omitempty" doc:"the answers so far, in order"`
	Mask     []int          `json:"mask,omitempty" doc:"indices of queries not to be asked now"`
	RuledOut []int          `json:"ruled_out,omitempty" doc:"indices of hypotheses that were guessed and are wrong; each uses an answer"`
	Stop     *float64       `json:"stop,omitempty" minimum:"0" exclusiveMaximum:"1" doc:"ask no more once the recommendation has this probability, above 0.5; 0: never; the policy's own where none is given"`
	Guess    bool           `json:"guess,omitempty" doc:"guess where nothing is left to ask"`
	About    *int           `json:"about,omitempty" minimum:"0" doc:"the index of the hypothesis that pro and contra speak of; the recommendation where none is given"`
	Seed     *uint64        `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"draws the query and breaks ties: the same request with the same seed has the same reply; any, and told in the reply, where none is given"`
	Top      *int           `json:"top,omitempty" minimum:"0" maximum:"1000000" default:"5" doc:"how many runners-up to list"`
}

// HistoryEntry is one answer of a game so far.
type HistoryEntry struct {
	Query  Ref   `json:"query"`
	Answer Reply `json:"answer"`
}

// NextReply is what to ask next and what is recommended now.
type NextReply struct {
	Query         *play.Text `json:"query" doc:"to be asked next; null where the game is over or the mask leaves none"`
	Probabilities []float32  `json:"probabilities" nullable:"false" doc:"with which each query was to be drawn, in the order of the policy's queries, or of its items; empty where query is null"`
	Guess         *play.Text `json:"guess" doc:"is it this? null where nothing is guessed; if it is wrong, send it in ruled_out"`
	Said
	Remaining int       `json:"remaining" doc:"answers left" minimum:"0"`
	Policy    PolicyRef `json:"policy"`
	Seed      uint64    `json:"seed"`
}

// PolicyRef says which policy answered, to the byte.
type PolicyRef struct {
	ID   string `json:"id"`
	Hash string `json:"hash" doc:"of the policy file's content"`
}
