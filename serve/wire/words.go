package wire

import "mapo/game/play"

// Answers are the words for answers of yes and no.
var Answers = map[string]play.Answer{"yes": play.Yes, "no": play.No, "probably": play.Probably, "probably not": play.ProbablyNot, "don't know": play.DontKnow}

// InWords returns an answer of yes and no in words.
func InWords(answer play.Answer) string {
	for text, a := range Answers {
		if a == answer {
			return text
		}
	}
	panic("serve: no such answer")
}
