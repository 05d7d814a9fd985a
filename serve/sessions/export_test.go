package sessions

import (
	"context"
	"time"

	"mapo/serve/database"
)

// HeldTurns takes the turns of a session that is held.
func (s *Sessions) HeldTurns(id string) []database.Turn { return s.held.take(id).turns }

func (x *Sessions) Client(a0 context.Context) (database.Client, error) { return x.client(a0) }

var CsvRow = csvRow

func (x *Sessions) SweepEvery(a0 context.Context, a1 time.Duration) { x.sweepEvery(a0, a1) }

func (x *Sessions) SweepOnce(a0 context.Context) error { return x.sweep(a0) }

var Texts = texts

const MostTitle = mostTitle
const MostAnnotator = mostAnnotator
const FreeSteps = freeSteps
