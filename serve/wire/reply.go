package wire

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"mapo/game/play"
)

// Reply is an answer in JSON. To questions of yes and no 1 or true is yes, −1 or false no, ±½ probably and probably not. Where
// answers are numbers any number is one. null is don't know. What is sent by the server has the numbers. Which of them fit is for
// [Reply.of] to say, as it depends on the policy. Of the items of a pool an answer is a class, by its name or its number.
type Reply struct {
	Answer play.Answer
	Word   bool   // whether it came as a word, such as true
	Text   string // as it came, where Answer does not say that; shortened
	Class  string // the name of a class, which Answer is where the server sends it
}

// UnmarshalJSON reads any value.
func (r *Reply) UnmarshalJSON(data []byte) error {
	*r = Reply{}
	switch string(data) {
	case "0.5":
		r.Answer = play.Probably
	case "-0.5":
		r.Answer = play.ProbablyNot
	case "1":
		r.Answer = play.Yes
	case "-1":
		r.Answer = play.No
	case "true":
		*r = Reply{Answer: play.Yes, Word: true, Text: "true"}
	case "false":
		*r = Reply{Answer: play.No, Word: true, Text: "false"}
	case "null":
	default:
		if !json.Valid(data) {
			return errors.New("an answer is not JSON")
		}
		r.Text = Shortened(string(data))
		if data[0] == '"' {
			return json.Unmarshal(data, &r.Class)
		}
		if y, err := strconv.ParseFloat(r.Text, 64); err == nil {
			r.Answer = play.Number(y)
		}
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (r Reply) MarshalJSON() ([]byte, error) {
	if r.Class != "" {
		return json.Marshal(r.Class)
	}
	if r.Answer == play.DontKnow {
		return []byte("null"), nil
	}
	return json.Marshal(r.Answer.Value())
}

// String returns the answer for people, one of yes and no in words.
func (r Reply) String() string {
	if r.Class != "" {
		return r.Class
	}
	if !r.Answer.IsYesNo() {
		return Number(r.Answer.Value())
	}
	return InWords(r.Answer)
}

// Schema returns the schema of a Reply in OpenAPI. Any type passes huma's check of types, so that a
// string is told the values that are possible, not that it should be a number.
func (r Reply) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Nullable: true,
		Extensions: map[string]any{
			"type": []string{huma.TypeNumber, huma.TypeBoolean, huma.TypeString, "null"},
			"anyOf": []any{
				map[string]any{"description": "yes and no", "enum": []any{1., -1., .5, -.5, nil, true, false}},
				map[string]any{"description": "where the policy's answers are gaussian", "type": []string{huma.TypeNumber, "null"}},
				map[string]any{"description": "where the policy labels items: a class, by its name or its number", "type": []string{huma.TypeString, huma.TypeInteger, "null"}},
			},
		},
		Description: "1 or true: yes, -1 or false: no, 0.5: probably, -0.5: probably not (both only where no query is asked twice), null: don't know; " +
			"where the policy's answers are gaussian any number, or null; replies have the numbers. Where the policy labels items, the name of a class or its number, counting from 0, or null; replies have the names",
	}
}

// yesNoValues are the answers in games of yes and no, as JSON.
const yesNoValues = "1, -1, 0.5, -0.5, null, true, false"

// YesNo returns the answer to a question of yes and no.
func (r Reply) YesNo(at string) (play.Answer, error) {
	switch {
	case r.Text == "" || r.Word:
		return r.Answer, nil
	case r.Answer != play.DontKnow && r.Answer.IsYesNo():
		return r.Answer, r.Fault(at, "an answer is "+r.Text+"; want 1 or true (yes), -1 or false (no), 0.5 (probably), -0.5 (probably not), or null (don't know)")
	}
	return r.Answer, r.Fault(at, `expected value to be one of "`+yesNoValues+`"`)
}

// Fault says what is wrong with an answer, as huma says it of values that do not fit their schema.
func (r Reply) Fault(at, reason string) error {
	f := &Fault{Status: http.StatusUnprocessableEntity, Reason: reason, At: at}
	_ = json.Unmarshal([]byte(r.Text), &f.Value) // a text that was shortened is not told again
	return f
}

// Number writes a number with all its digits.
func Number(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }
