package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/database"
)

// toldFile is "told DB POLICY TABLE.csv": it adds games to a database of sessions, as a server of the table keeps them. Of
// each object there are two, with the answers of the table, one that recommends it and one that recommends the first
// object. Of another object, okapi, which is proposed, there is one, and so is the question "Is it shy?".
func toldFile(ts *testscript.TestScript, _ bool, args []string) {
	table, err := dataset.ReadTable(ts.MkAbs(args[2]), "")
	ts.Check(err)
	ctx, policy := context.Background(), args[1]
	store, err := database.OpenSQLite(ctx, ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = store.Enlist(ctx, policy, table.Objects, table.Queries)
	ts.Check(err)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	tell := func(id string, t database.Told, row int) {
		t.ID, t.Policy, t.Client, t.At, t.Learn = policy+"/"+id, policy, database.Client{ID: "a:0123", Capped: true}, at, true
		for i := range table.Queries {
			answer := play.No
			if table.Row(row)[i] > 0.5 {
				answer = play.Yes
			}
			t.Answers = append(t.Answers, play.Answered{Query: i, Answer: answer})
		}
		_, err := store.Tell(ctx, t)
		ts.Check(err)
		at = at.Add(time.Second)
	}
	for row, name := range table.Objects {
		for _, recommended := range []string{name, table.Objects[0]} {
			tell(fmt.Sprintf("%d-%s", row, recommended), database.Told{Objects: []int{row}, Truth: name, Recommended: recommended}, row)
		}
	}
	p, err := store.Propose(ctx, database.Proposal{Policy: policy, Kind: database.KindObject, Text: "okapi", Client: "a:0123", Created: at})
	ts.Check(err)
	tell("okapi", database.Told{Proposal: p.ID, Truth: "okapi", Recommended: table.Objects[0]}, 1)
	_, err = store.Propose(ctx, database.Proposal{Policy: policy, Kind: database.KindQuestion, Text: "Is it shy?", Client: "a:0123", Game: policy + "/1-" + table.Objects[1], Answer: play.Probably, Created: at})
	ts.Check(errors.Join(err, store.Close()))
}
