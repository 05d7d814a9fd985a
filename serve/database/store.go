package database

import (
	"context"
	"errors"
	"time"

	"mapo/game/play"
)

// Session is one game that is kept, or one round of labelling. What has happened
// in it is its turns.
type Session struct {
	ID         string
	Policy     string // its id
	Play       string // fingerprint of the game it plays
	Title      string
	Seed       uint64
	StopMargin float64 // the lead at which it ends early; 0: never
	Stop       float64 // the probability of the recommendation at which it ends early; 0: never
	Guess      bool    // whether the game guesses before it ends
	Version    int     // of the learned table that it plays with; 0: the base
	Labelling  bool    // whether it is for labelling, whose truths are learned only where the server is told to
	Created    time.Time
	Touched    time.Time // the last turn's, for expiry
	Truth      string    // what it was about, as told
	Told       time.Time // when that was first told; zero: it was not. Then no more turns are closed
}

// Turn is one step of a session: a query that was asked, and what came of it. A
// step's number is never used again, also not after an undo, so a request that
// comes late or twice cannot be taken for another.
type Turn struct {
	Step        int     // from 1
	Query       int     // none where there was nothing to ask
	Guess       int     // the hypothesis that is guessed; none where there is no guess
	Text        string  // the query's, or the name of what is guessed
	Probability float64 // with which it was drawn
	Hash        string  // of the policy that drew it
	Mask        []int   // queries that were not to be asked; written to a store and not read again
	Asked       time.Time

	Outcome   string      // "" while open
	Answer    play.Answer // where the outcome is an answer
	Class     string      // its name, where the answer is the class of an item
	Annotator string
	Answered  time.Time
	Undone    int // the step that took it back; 0: it counts
}

const None = -1 // no query, and no guess

// Outcomes of a turn.
const (
	OutcomeAnswer   = "answer"
	OutcomeDontKnow = "dont-know"
	OutcomeSkip     = "skip"
	OutcomeRight    = "right"
	OutcomeWrong    = "wrong"
	OutcomeUndo     = "undo" // the query was not answered, and an earlier answer taken back
)

// Counts reports whether t's answer or guess is part of the game.
func (t *Turn) Counts() bool {
	return t.Outcome != "" && t.Outcome != OutcomeUndo && t.Undone == 0
}

// Advance closes a session's open turn and opens the next one, as one.
type Advance struct {
	Session string
	Closed  Turn
	Undone  int // the step that Closed takes back; 0: none
	Next    Turn
}

// ErrNoSession is what a store says of an id it does not have.
var ErrNoSession = errors.New("there is no such session")

// Old says which sessions expire: those last touched before a time.
type Old struct {
	Open time.Time // sessions without an answer
	Any  time.Time // all; zero: none
}

// Store keeps sessions. What it has confirmed survives a crash of the program
// and of the machine. It may be used concurrently, also by several servers.
type Store interface {
	// Create keeps a new session with its first turn.
	Create(ctx context.Context, s Session, first Turn) error
	// Load returns a session and all its turns by step, or ErrNoSession.
	Load(ctx context.Context, id string) (Session, []Turn, error)
	// Advance does a as one, unless the turn is no longer open or asks another query:
	// then it does nothing and returns false, as it does once the truth was told. ErrNoSession where there is none.
	Advance(ctx context.Context, a Advance) (bool, error)
	// Redraw replaces the query of a session's open turn, unless it asks another one
	// than was by now.
	Redraw(ctx context.Context, id string, was int, t Turn, now time.Time) (bool, error)
	// List returns up to n sessions by id, from the first above after.
	List(ctx context.Context, after string, n int) ([]Session, error)
	// Delete forgets a session, withdraws its truth and reports whether there was one.
	Delete(ctx context.Context, id string) (bool, error)
	// Expire forgets some of the sessions that o names, for a tenth of a second at most, and returns how many. A truth that
	// the newest version excludes is withdrawn; another one is stripped of all but the answers, the object and the version,
	// also where the game was played elsewhere. The caller calls it again, after a pause, until it returns 0.
	Expire(ctx context.Context, o Old) (int, error)
	// Count returns how many sessions have no answer, and how many have one.
	Count(ctx context.Context) (open, answered int, err error)
	// Probe writes as much as an answer, as durably, and takes it back, to see whether that works.
	Probe(ctx context.Context) error
	TruthStore
	Close() error
}
