package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/internal/suite"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// description is as much of an OpenAPI document as the tests read.
type description struct {
	OpenAPI    string
	Security   []map[string][]string
	Tags       []struct{ Name, Description string }
	Components struct {
		SecuritySchemes map[string]struct{ Type, Scheme, Description string }
		Schemas         map[string]struct {
			Properties map[string]json.RawMessage
		}
	}
	Paths map[string]map[string]operationDescription
}

type operationDescription struct {
	OperationID string
	Tags        []string
	Security    []map[string][]string
	RequestBody *struct {
		Content map[string]struct{ Example json.RawMessage }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
}

func described(t *testing.T, h http.Handler, headers ...string) (doc description) {
	t.Helper()
	code, text := status(h, request(http.MethodGet, "/openapi.json", "", headers...))
	if code != http.StatusOK {
		t.Fatal(code, text)
	}
	must(t, json.Unmarshal([]byte(text), &doc))
	return doc
}

// TestOpenAPI: the description is OpenAPI 3.1. It says what a query and an answer are, what may be null, and of what
// media type a reply is. Every operation has a tag that is explained, and every request an example.
func TestOpenAPI(t *testing.T) {
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
	doc := described(t, New(set, s, Options{}).Handler())
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("openapi %s", doc.OpenAPI)
	}
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		tags[tag.Name] = tag.Description != ""
	}
	exports := 0
	for path, item := range doc.Paths {
		for method, op := range item {
			if len(op.Tags) != 1 || !tags[op.Tags[0]] {
				t.Errorf("%s %s has the tags %q, of %v", method, path, op.Tags, tags)
			}
			if op.RequestBody != nil && len(op.RequestBody.Content["application/json"].Example) == 0 {
				t.Errorf("%s %s has no example", method, path)
			}
			if _, told := op.Responses["503"]; method == "post" && !told {
				t.Errorf("%s %s may be refused with 503, and does not say so", method, path)
			}
			if op.OperationID == "export" {
				exports++
				checkExport(t, op)
			}
		}
	}
	if exports != 1 || len(doc.Paths) < 8 {
		t.Errorf("%d exports, %d paths", exports, len(doc.Paths))
	}
	for where, want := range map[string]string{
		"HistoryEntry.query": "exact text", "HistoryEntry.answer": `"enum":[1,-1,0.5,-0.5,null,true,false]`, "AnswerRequest.answer": `"type":["number","boolean","string","null"]`, "TurnEntry.answer": "gaussian any number", "QuestionRequest.answer": "to it, yes or no", "PolicySummary.answers": "/Gaussian", "View.number_answers": "numbers",
		"NextReply.query": `{"type":"null"}`, "NextReply.recommendation": `{"type":"null"}`, "View.recommendation": `{"type":"null"}`, "View.query": `{"type":"null"}`,
		"TurnEntry.query": `{"type":"null"}`, "View.guess": `{"type":"null"}`, "NextReply.guess": `{"type":"null"}`, "NextReply.tied": "share the lead", "View.tied": "share the lead", "ExportRow.session": "string",
		"ExportRow.query": `{"type":"null"}`, "ExportRow.recommendation": `{"type":"null"}`,
		"ExportRow.confidence": `"type":["number","null"]`, "ExportRow.guess": "#/components/schemas/Text", "ExportRow.outcome": `"wrong"`, "ExportRow.answer": "0.5",
		"View.confidence": `"type":["number","null"]`, "NextReply.confidence": "if answers follow the table", "Ranked.confidence": `"type":["number","null"]`,
		"View.state": `"guess"`, "View.pro": "spoke most for", "NextReply.contra": "spoke most against", "NextReply.misfit": "do not fit", "View.contradiction": "closest rows",
		"GuessRequest.step": "step of the guess", "GuessRequest.right": "whether", "NextRequest.ruled_out": "uses an answer", "NextRequest.stop": "above 0.5", "NewSession.guess": "/guess",
	} {
		name, property, _ := strings.Cut(where, ".")
		if got := string(doc.Components.Schemas[name].Properties[property]); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s in it", where, got, want)
		}
	}
}

// checkExport: an export is CSV or JSON lines, each as text.
func checkExport(t *testing.T, op operationDescription) {
	t.Helper()
	got := op.Responses["200"].Content
	for _, media := range []string{"text/csv", "application/x-ndjson"} {
		if text := string(got[media].Schema); !strings.Contains(text, `"type":"string"`) || strings.Contains(text, "base64") {
			t.Errorf("an export as %s is %s", media, text)
		}
	}
	if len(got) != 2 {
		t.Errorf("exports are %v", got)
	}
}

// TestOpenAPISecurity: tokens are described with and without any set. Where none are, requests may do without one;
// where some are, none may, and an administrator's operations ask for that role.
func TestOpenAPISecurity(t *testing.T) {
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
	for _, c := range []struct {
		options          Options
		all, admin, says string
	}{
		{Options{}, "[map[] map[token:[ask]]]", "[map[] map[token:[admin]]]", "has no tokens"},
		{Options{AskTokens: []string{askToken}}, "[map[token:[ask]]]", "[map[token:[admin]]]", "nothing is readable without one"},
	} {
		doc := described(t, New(set, s, c.options).Handler(), "Authorization", "Bearer "+askToken)
		scheme := doc.Components.SecuritySchemes["token"]
		if scheme.Type != "http" || scheme.Scheme != "bearer" || !strings.Contains(scheme.Description, c.says) {
			t.Errorf("tokens are %+v, want %q in it", scheme, c.says)
		}
		if got := fmt.Sprint(doc.Security); got != c.all {
			t.Errorf("security %s, want %s", got, c.all)
		}
		for _, op := range []operationDescription{doc.Paths["/v1/sessions"]["get"], doc.Paths["/v1/sessions/{id}"]["delete"]} {
			if got := fmt.Sprint(op.Security); got != c.admin || op.Tags[0] != tagAdmin || op.Responses["403"].Content == nil {
				t.Errorf("%s: security %s, tags %s, responses %v", op.OperationID, got, op.Tags, op.Responses)
			}
		}
		if op := doc.Paths["/v1/sessions"]["post"]; op.Security != nil {
			t.Errorf("%s has a security of its own: %v", op.OperationID, op.Security)
		}
	}
}

// TestExamples pastes every command of /docs into a shell: each is answered with success, also where the texts of the
// table are hostile, and with a token.
func TestExamples(t *testing.T) {
	suite.Long(t, "runs every example of a page in a shell")
	t.Parallel()
	browser := chromium(t)
	if _, err := exec.LookPath("curl"); err != nil {
		absent(t, "curl is not installed (Debian: apt-get install curl)")
	}
	hostile, ran := servetest.Wheels(), filepath.Join(t.TempDir(), "ran")
	hostile.X[0] = `it's "$(touch ` + ran + `)" \ é & <b>`
	for name, c := range map[string]struct {
		path    string
		options Options
	}{
		"table":   {"table.csv", Options{}},
		"animals": {servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil), Options{}},
		"hostile": {servetest.Write(t, t.TempDir(), "it's $HOME {id}", hostile, nil), Options{}},
		"tokens":  {servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil), Options{AskTokens: []string{askToken}, AdminTokens: []string{adminToken}}},
	} {
		t.Run(name, func(t *testing.T) {
			open := policies.Open
			if name == "table" {
				open = servetest.OpenTable(-1, 0.95)
			}
			s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, open, c.path)
			b := newTab(t, browser, "http://"+listen(t, New(set, s, c.options)))
			b.open("/docs")
			if c.options.AskTokens != nil {
				b.login(askToken)
			}
			b.wait(`document.getElementById("export")`)
			examples := js[[]string](b, `[...document.querySelectorAll("pre")].map((e) => e.textContent)`)
			if len(examples) < 10 {
				t.Fatalf("%d examples: %q", len(examples), examples)
			}
			for _, example := range examples {
				if got, err := pasted(t, example, adminToken); err != nil {
					t.Errorf("%s\n%v\n%s", example, err, got)
				}
			}
			if all := strings.Join(examples, "\n"); strings.Contains(all, "…") || strings.Contains(all, "Bearer") != (c.options.AskTokens != nil) {
				t.Errorf("the examples are %s", all)
			}
			b.clean("401")
		})
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a text of the table ran in the shell")
	}
}

// login gives the page that asks for a token one. It leads on to the page that was asked for.
func (b *tab) login(token string) {
	b.t.Helper()
	b.wait(`document.querySelector("input[name=token]")`)
	js[int](b, fmt.Sprintf(`document.querySelector("input[name=token]").value = %q, document.querySelector("form").submit(), 0`, token))
}

// pasted runs a command in a shell where curl fails if the server refuses.
func pasted(t *testing.T, text, token string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "set -e\ncurl() { command curl -sS --fail-with-body \"$@\"; }\n"+text)
	cmd.Env = append(slices.Clone(os.Environ()), "MAPO_TOKEN="+token)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
