package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mapo/serve/outage"
	"mapo/serve/sessions"
	"mapo/serve/wire"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mapo/game/play"
)

// agentNext is the input of the verb next.
type agentNext struct {
	Session string `json:"session,omitempty" jsonschema:"the session to go on with; none: a new one begins"`
	Policy  string `json:"policy,omitempty" jsonschema:"the policy's id, for a new session; may be left out where there is only one"`
	Mask    []int  `json:"mask,omitempty" jsonschema:"indices of queries not to be asked now, counting from 0"`
	Guess   bool   `json:"guess,omitempty" jsonschema:"for a new session: guess before it ends; a guess is answered with the verb guess"`
	// A pointer: 0 is never, and none the policy's own.
	Stop *float64 `json:"stop,omitempty" jsonschema:"for a new session: end once the recommendation has this probability, between 0.5 and 1; 0: never; none: the policy's own"`
}

// agentAnswer is the input of the verb answer.
type agentAnswer struct {
	Session string `json:"session"`
	Step    int    `json:"step" jsonschema:"the step that is answered, as next or the last answer told it"`
	Answer  string `json:"answer" jsonschema:"yes, no, probably, probably not, don't know, skip, or undo to take the last answer or guess back; probably and probably not only where no question is asked twice; where number_answers is true a number as text, such as 1.5, in place of yes and no; where classes are listed one of them"`
	By      string `json:"by,omitempty" jsonschema:"who answered"`
	Mask    []int  `json:"mask,omitempty" jsonschema:"indices of queries not to be asked next, counting from 0"`
}

// agentGuess is the input of the verb guess.
type agentGuess struct {
	Session string `json:"session"`
	Step    int    `json:"step" jsonschema:"the step of the guess, as the last reply told it"`
	Right   bool   `json:"right" jsonschema:"whether it is what is guessed"`
	Mask    []int  `json:"mask,omitempty" jsonschema:"indices of queries not to be asked next, counting from 0"`
}

// agentTruth is the input of the verb truth.
type agentTruth struct {
	Session string `json:"session"`
	Truth   string `json:"truth" jsonschema:"what it was: the name of an object"`
	New     bool   `json:"new,omitempty" jsonschema:"propose it as a new object, where the table has none of that name"`
}

// agentRecommend is the input of the verb recommend.
type agentRecommend struct {
	Session string `json:"session"`
}

// View is what an agent is told of a session: what a client of the API is, and of a result how right the policy is.
type View struct {
	wire.View
	Contract []string `json:"contract,omitempty" nullable:"false" doc:"how right the policy is, as its contract states it"`
}

// agentSchema returns the schema of an [agentView], which is made of the API's.
func agentSchema() any {
	types := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	view := types.Schema(reflect.TypeFor[View](), true, "")
	return map[string]any{"type": huma.TypeObject, "$ref": view.Ref, "$defs": types.Map()}
}

const agentManual = "Asks the questions of policies and tables. Call next to begin a session and get its first question, answer for every " +
	"answer (its reply has the next question), and recommend for the result. A session begun with guess may ask whether it is something: " +
	"call guess. At the end call truth if you know what it was: that is kept, and a server that learns asks better then. Answer the questions as they come; say \"don't know\" rather than guess, and \"probably\" where it is likely but not sure. Where a reply says number_answers, the answers are numbers: what was measured. Where a reply lists classes, the query is an item: answer with its class."

// New returns a server of the five verbs (next, answer, guess, truth, recommend) over sessions, for agents.
func New(s *sessions.Sessions, version string) *sdk.Server {
	schema := agentSchema()
	server := sdk.NewServer(&sdk.Implementation{Name: "mapo", Version: version}, &sdk.ServerOptions{Instructions: agentManual})
	sdk.AddTool(server, &sdk.Tool{Name: "next", OutputSchema: schema, Description: "The question to be answered now. Without a session a new one begins."},
		func(ctx context.Context, _ *sdk.CallToolRequest, in agentNext) (*sdk.CallToolResult, *View, error) {
			return told(nextOf(ctx, s, &in))
		})
	sdk.AddTool(server, &sdk.Tool{Name: "answer", OutputSchema: schema, Description: "Answers a step of a session and returns the next question. The same answer again changes nothing."},
		func(ctx context.Context, _ *sdk.CallToolRequest, in agentAnswer) (*sdk.CallToolResult, *View, error) {
			return told(answerOf(ctx, s, &in))
		})
	sdk.AddTool(server, &sdk.Tool{Name: "guess", OutputSchema: schema, Description: "Says whether the guess of a step is right. A right guess ends the session, and tells its truth; a wrong one uses an answer. The same again changes nothing."},
		func(ctx context.Context, _ *sdk.CallToolRequest, in agentGuess) (*sdk.CallToolResult, *View, error) {
			return told(s.Guess(ctx, in.Session, &wire.GuessRequest{Step: in.Step, Right: in.Right, Mask: in.Mask}))
		})
	sdk.AddTool(server, &sdk.Tool{Name: "truth", OutputSchema: schema, Description: "Tells what a session was about, and ends it. It needs an answer. A right guess has told it already. The same truth again changes nothing, another one corrects it. A name that is not an object is refused with the nearest ones."},
		func(ctx context.Context, _ *sdk.CallToolRequest, in agentTruth) (*sdk.CallToolResult, *View, error) {
			return told(s.Tell(ctx, in.Session, &wire.TruthRequest{Truth: in.Truth, New: in.New}))
		})
	sdk.AddTool(server, &sdk.Tool{Name: "recommend", OutputSchema: schema, Description: "What a session's answers say so far: the recommendation, its probability or lead, the runners-up, and what the policy's contract says of its accuracy.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, _ *sdk.CallToolRequest, in agentRecommend) (*sdk.CallToolResult, *View, error) {
			_, v, err := told(s.View(ctx, in.Session))
			if err == nil {
				if p := s.Policies().Get(v.Policy.ID); p != nil {
					v.Contract = p.Stated()
				}
			}
			return nil, v, err
		})
	return server
}

func told(v *wire.View, err error) (*sdk.CallToolResult, *View, error) {
	if o := outage.Of(err); o != nil {
		return nil, nil, errors.New(o.Reason)
	}
	if err != nil {
		return nil, nil, err // the agent is told its text
	}
	return nil, &View{View: *v}, nil
}

func nextOf(ctx context.Context, s *sessions.Sessions, in *agentNext) (*wire.View, error) {
	if in.Session != "" {
		return s.Next(ctx, in.Session, in.Mask)
	}
	if in.Policy == "" {
		if all := s.Policies().All(); len(all) == 1 {
			in.Policy = all[0].ID
		} else {
			var ids []string
			for _, p := range all {
				ids = append(ids, p.ID)
			}
			return nil, wire.Refuse(http.StatusUnprocessableEntity, "name a policy; there are %q", ids)
		}
	}
	return s.Create(ctx, &wire.NewSession{Policy: in.Policy, Mask: in.Mask, Guess: in.Guess, Stop: in.Stop})
}

func answerOf(ctx context.Context, s *sessions.Sessions, in *agentAnswer) (*wire.View, error) {
	req := &wire.AnswerRequest{Step: in.Step, Annotator: in.By, Mask: in.Mask}
	class, err := commandClass(ctx, s, in)
	switch answer, known := wire.Answers[in.Answer]; {
	case err != nil:
		return nil, err
	case class != (wire.Reply{}):
		req.Answer = class
	case known:
		req.Answer = wire.Reply{Answer: answer}
		if answer != play.DontKnow {
			req.Answer.Word, req.Answer.Text, req.Answer.Class = true, in.Answer, in.Answer
		}
	case in.Answer == skip:
		req.Skip = true
	case in.Answer == undo:
		return s.Undo(ctx, in.Session, &wire.UndoRequest{Step: in.Step, Mask: in.Mask})
	default:
		reply, err := replyOf(ctx, s, in)
		if err != nil {
			return nil, err
		}
		req.Answer = reply
	}
	return s.Answer(ctx, in.Session, req)
}

// Answers that are commands.
const (
	skip = "skip" // passes a question over
	undo = "undo" // takes the last answer back
)

// commandClass returns the class that is called skip, undo or don't know, where the answer is that word;
// the zero Reply where no class is. A class takes precedence over a command of the same name.
func commandClass(ctx context.Context, s *sessions.Sessions, in *agentAnswer) (wire.Reply, error) {
	if answer, known := wire.Answers[in.Answer]; in.Answer != skip && in.Answer != undo && !(known && answer == play.DontKnow) {
		return wire.Reply{}, nil
	}
	p, err := s.PolicyOf(ctx, in.Session)
	if err != nil {
		return wire.Reply{}, err
	}
	class, known := p.ClassOf(in.Answer)
	if !known {
		return wire.Reply{}, nil
	}
	return p.Reply(class), nil
}

// replyOf returns what answers a step of a session whose answers are numbers or classes.
func replyOf(ctx context.Context, s *sessions.Sessions, in *agentAnswer) (wire.Reply, error) {
	p, err := s.PolicyOf(ctx, in.Session)
	if err != nil {
		return wire.Reply{}, err
	}
	answer, ok, are := p.Form().Spoken(in.Answer)
	if !ok {
		return wire.Reply{}, wire.Refuse(http.StatusUnprocessableEntity, "the answer is %q, want %s, skip or undo", in.Answer, are)
	}
	return p.Reply(answer), nil
}

// Serve speaks MCP over in and out, a message a line, until ctx or in ends; what was asked before in ends is answered.
// A line that is not a message is left out and logged: an agent whose host prints something of its own keeps its session.
func Serve(ctx context.Context, s *sessions.Sessions, version string, in io.ReadCloser, out io.WriteCloser) error {
	sound := &messages{in: bufio.NewReaderSize(in, mostMessage), log: s.Log}
	err := New(s, version).Run(ctx, patient{&sdk.IOTransport{Reader: struct {
		io.Reader
		io.Closer
	}{sound, in}, Writer: out}})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// mostMessage is the longest line that can be a message, in bytes, its end among them.
const mostMessage = 1 << 20

// messages reads the lines of in that are messages, those of a batch one by one.
type messages struct {
	in   *bufio.Reader
	log  *slog.Logger
	line int    // lines read so far
	rest []byte // of the messages under way
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.next()
		if err == nil {
			m.rest, err = split(line)
		} else if !errors.Is(err, errLong) {
			return 0, err
		}
		if err != nil {
			m.log.Warn("a line that is not a message was left out", "line", m.line, "why", err)
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

var errLong = fmt.Errorf("it is longer than %d bytes", mostMessage)

// next returns the next line, which is good until the one after; the last may have no end.
func (m *messages) next() ([]byte, error) {
	m.line++
	line, err := m.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return line, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = m.in.ReadSlice('\n')
	}
	return nil, errLong
}

// split returns the message of a line, or those of a batch, each in a line of its own; none of an empty line.
func split(line []byte) ([]byte, error) {
	line = bytes.TrimSpace(line)
	all := []json.RawMessage{line}
	switch {
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, errors.New("it is not one JSON value")
	case line[0] == '[':
		if err := json.Unmarshal(line, &all); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it is an empty batch")
	}
	var out []byte
	for _, text := range all {
		if _, err := jsonrpc.DecodeMessage(text); err != nil {
			return nil, err
		}
		out = append(append(out, text...), '\n')
	}
	return out, nil
}
