package database

import (
	"context"
	"errors"
	"time"

	"mapo/data/learn"
	"mapo/game/play"
)

// Kinds of names and of proposals.
const (
	KindObject   = "object"
	KindQuestion = "question"
)

// Vocabulary is a policy's objects and questions. A name's place in its list is its index in the store, and never
// changes: names are only appended.
type Vocabulary = learn.Vocabulary

// Name is an object's name or a question's text.
type Name = learn.Name

// Told is a game whose truth is known.
type Told struct {
	ID          string // the session's, or "policy/key" of a game that was played elsewhere
	Policy      string
	Version     int             // of the table that it was played with
	Step        int             // of the session when its answers were read; 0: there is no session
	Objects     []int           // indices of what it was, several for "A or B"; none while that is only proposed
	Proposal    int64           // of the object, where it was proposed; 0: none
	Truth       string          // as told
	Recommended string          // at the end; "": nothing, or not known where the policy is gone: a correction then leaves what is kept
	Answers     []play.Answered // Query is the index of the question; without "don't know"
	Client      Client
	At          time.Time // of the first telling; zero once it is stripped
	Learn       bool      // whether it enters the counts
	Excluded    bool      // whether the newest version leaves it out; read only
}

// Client is who told a truth: "t:" and a hash of a token, "a:" and a hash of an address, "l" on loopback; "" once the
// game is stripped.
type Client struct {
	ID     string
	Capped bool // whether its share of a version's games is bounded
}

// TellResult is what became of a truth.
type TellResult int

// Results of [TruthStore.Tell].
const (
	Stale   TellResult = iota // the session has moved on since its answers were read: load it again
	TellNew                   // the truth is kept, also where it corrects another one
	Same                      // it was told before; nothing has changed
	Another                   // a game without a session has this ID and another truth or other answers; nothing has changed
)

// Cell is what the counts have of an object and a question.
type Cell = learn.Cell

// Learning says how far a policy's table has been learned.
type Learning struct {
	Changes int64     // truths told, corrected and withdrawn, names accepted and clients restored so far
	Built   int64     // what Changes was when the newest version was built
	Version int       // the newest; 0: none
	BuiltAt time.Time // zero: never
	Named   bool      // whether names were accepted that the newest version does not have
}

// Snapshot is all that a version is built from, as it was at one moment.
type Snapshot struct {
	Learning
	*Vocabulary
	Counts   []Cell  // by object and question
	Games    []Told  // those in the counts with a client, by ID; without Truth and Recommended
	Stripped int     // how many games in the counts have no client any more
	Aside    []Aside // clients that the newest version sets aside, and those that are restored
}

// VersionInfo describes a version of a learned table.
type VersionInfo struct {
	Version            int    // from 1
	Base               string // hash of the base table
	Built              time.Time
	Games              int // that it was learned from
	Objects, Questions int // how many of the vocabulary it has
}

// VersionWrite is a new version.
type VersionWrite struct {
	VersionInfo
	Cells            []Cell   // the included counts minus those of the newest version
	Changes          int64    // of the snapshot that it was built from
	Exclude, Include []string // IDs of games that it newly leaves out, and takes in again
	Aside            []Aside  // all clients that it sets aside
}

// Aside is a client whose games are left out as a whole, or whom an operator has restored.
type Aside struct {
	Client           string
	Version          int     // that set it aside first
	Games            int     // of the client
	Median, Quantile float64 // of the client's log-likelihoods, and of the other games'
	Since            time.Time
	Restored         bool
}

// States of a proposal.
const (
	ProposalOpen     = "open"
	ProposalAccepted = "accepted"
	ProposalRejected = "rejected"
)

// Proposal is an object or a question that a player would like to see in the table.
type Proposal struct {
	ID      int64
	Policy  string
	Kind    string // KindObject or KindQuestion
	Text    string
	Client  string
	Game    string      // ID of the told game that it came with; "": none
	Answer  play.Answer // of a question: what holds for that game's object
	Created time.Time
	State   string
	Index   int // of the name that it became, once accepted
	Games   int // told games whose truth it is; read only
}

// Decision accepts or rejects a proposal.
type Decision struct {
	Policy   string
	Proposal int64
	Accept   bool
	As       string // the name to accept it as, new or in the vocabulary; "": its own text
	Yes, No  []int  // objects that are known to have this answer to an accepted question
	Given    bool   // today's table has the name; accepting does not keep it there
	At       time.Time
}

// Untold counts sessions with an answer and without a truth: those with a right guess, with wrong ones only, and without
// a guess.
type Untold struct{ Right, Wrong, None int }

// Errors of a [TruthStore].
var (
	ErrNoGame     = errors.New("there is no such game")
	ErrNoVersion  = errors.New("there is no such version")
	ErrNoProposal = errors.New("there is no such proposal")
	ErrDecided    = errors.New("the proposal was decided otherwise before")
	ErrTooMany    = errors.New("too many proposals of this client are open")
	ErrBuilt      = errors.New("this version was built before")
)

// MostProposals is how many open proposals a client may have.
const MostProposals = 20

// TruthStore keeps what games were about, and the versions of the tables that are learned from them. Counts change in
// the same transaction as the games that they count.
type TruthStore interface {
	// Enlist appends the names that a policy's vocabulary does not have, as compared by [table.Fold], and returns all.
	Enlist(ctx context.Context, policy string, objects, questions []string) (*Vocabulary, error)
	// Tell keeps the truth of a game, in place of an earlier one of the same session, whose client and time stay.
	// ErrNoSession where there is no such session, ErrNoProposal where there is no such proposal of an object.
	Tell(ctx context.Context, t Told) (TellResult, error)
	// AdvanceTold is Advance together with a truth, or with the withdrawal of the session's truth.
	AdvanceTold(ctx context.Context, a Advance, t *Told, withdraw bool) (bool, error)
	// Game returns a told game, or ErrNoGame. Its Step is 0.
	Game(ctx context.Context, id string) (*Told, error)
	// Withdraw forgets a told game, and reports whether there was one.
	Withdraw(ctx context.Context, id string) (bool, error)
	// Policies returns the policies that have names here, in order.
	Policies(ctx context.Context) ([]string, error)
	// Untold counts the games of a policy, sessions for labelling aside, whose truth was not told.
	Untold(ctx context.Context, policy string) (Untold, error)
	// EachGame calls each with every told game of a policy, of all policies where it is "", by ID.
	EachGame(ctx context.Context, policy string, each func(Told) error) error

	Learning(ctx context.Context, policy string) (Learning, error)
	Snapshot(ctx context.Context, policy string) (*Snapshot, error)
	// Exclusive calls do unless a version of the policy is being built already, and reports whether it did. write keeps the
	// version, or returns ErrBuilt; do returns its error. In a transaction of PostgreSQL the version is kept when Exclusive
	// returns nil.
	Exclusive(ctx context.Context, policy string, do func(write func(VersionWrite) error) error) (ran bool, err error)
	// Versions returns those that are kept, the oldest first.
	Versions(ctx context.Context, policy string) ([]VersionInfo, error)
	// Cells returns the counts that a version was learned from, by object and question, or ErrNoVersion. Version 0 has none.
	Cells(ctx context.Context, policy string, version int) (VersionInfo, []Cell, error)
	// SetAside returns the clients that the newest version sets aside, and those that are restored.
	SetAside(ctx context.Context, policy string) ([]Aside, error)
	// Restore has a client's games count from the next version on, and reports whether it was set aside.
	Restore(ctx context.Context, policy, client string) (bool, error)

	// Propose keeps a proposal and returns it with its ID. Where the same was proposed before it returns that one, and
	// ErrTooMany where the client has 20 open.
	Propose(ctx context.Context, p Proposal) (Proposal, error)
	// Proposals returns up to n proposals of a state, of any where it is "", by ID from the first above after.
	Proposals(ctx context.Context, policy, state string, after int64, n int) ([]Proposal, error)
	// Decide decides a proposal. An accepted object's games enter the counts with it. ErrNoProposal, ErrDecided.
	Decide(ctx context.Context, d Decision) (Proposal, error)

	// DayKey returns the key of a day, such as 2030-01-02, made at random where there is none. Keys of earlier days are
	// deleted.
	DayKey(ctx context.Context, day string) ([]byte, error)
}
