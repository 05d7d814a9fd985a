package play_test

import (
	"fmt"
	"log"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/policy/rival"
)

// Play a game question by question.
func ExampleGame_At() {
	p := dataset.Thresholds(3, 2)
	g := play.New(p, rival.Uniform(p), false)
	var record play.Record
	for _, answer := range []play.Answer{play.Yes, play.No} {
		record.History = append(record.History, play.Answered{Query: len(record.History) + 1, Answer: answer})
	}
	at, err := g.At(record)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(at.Over(), at.Standing(at.Key(1), 0).Recommendation.Text)
	// Output: true threshold 2
}
