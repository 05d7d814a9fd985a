package serve

import "mapo/game/play"

// answers are the words for answers of yes and no.
var answers = map[string]play.Answer{"yes": play.Yes, "no": play.No, "probably": play.Probably, "probably not": play.ProbablyNot, "don't know": play.DontKnow}

// replied returns an answer of yes and no in words.
func replied(answer play.Answer) string {
	for text, a := range answers {
		if a == answer {
			return text
		}
	}
	panic("serve: no such answer")
}
