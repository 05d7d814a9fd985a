package web

import (
	"context"
	"encoding/json"

	"mapo/serve/servetest"
	"mapo/serve/sessions"

	flags "flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mapo/internal/suite"
)

// chromium starts a browser that ends with the test. Where there is none the test
// is skipped, and fails where MAPO_CI is set.
func chromium(t *testing.T, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		absent(t, "chromium is not installed (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("lang", "en-US"))
	options = append(options, more...)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	must(t, chromedp.Do(ctx))
	return ctx
}

func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("MAPO_CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// tab is one page of the browser. It notes what a page must not do: errors on the
// console, and requests that leave the origin.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string
	mu     sync.Mutex
	faults []string
}

func newTab(t *testing.T, browser context.Context, origin string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, 3*suite.Patience)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx, origin: origin}
	must(t, chromedp.Listen(ctx, b.listen))
	call(b, network.Enable, network.EnableParams{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

func (b *tab) listen(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.origin+"/") && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			b.fault("request to " + u)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			text := fmt.Sprint(e.Type)
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
			b.fault(text)
		}
	case *runtime.EventExceptionThrown:
		b.fault(fmt.Sprintf("%+v", e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.fault(e.Entry.Text + " " + e.Entry.URL)
		}
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// clean fails the test on anything noted that has none of the texts allowed.
func (b *tab) clean(allowed ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, f := range b.faults {
		for _, a := range allowed {
			if strings.Contains(f, a) {
				continue next
			}
		}
		b.t.Errorf("the page did: %s", f)
	}
	b.faults = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("%v; the page shows: %s", err, b.all())
	}
}

// all is the page's text, for messages.
func (b *tab) all() string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(b.ctx), time.Minute)
	defer stop()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

// call calls a command of the protocol.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// js evaluates an expression on the page.
func js[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		b.t.Fatalf("%s: %v; the page shows: %s", expression[:min(len(expression), 200)], err, b.all())
	}
	return got
}

// address is the page's.
func (b *tab) address() string { return js[string](b, `location.href`) }

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.origin + path))
}

// text is an element's, "" where there is none.
func (b *tab) text(id string) string {
	b.t.Helper()
	return js[string](b, fmt.Sprintf(`document.getElementById(%q)?.textContent ?? ""`, id))
}

// wait waits until an expression is true, also across pages.
func (b *tab) wait(what string) {
	b.t.Helper()
	var err error
	for began := time.Now(); time.Since(began) < suite.Patience; time.Sleep(10 * time.Millisecond) {
		var yes bool
		if yes, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+what+")")); err == nil && yes {
			return
		}
	}
	b.t.Fatalf("waiting for %s: %v; the page shows: %s", what, err, b.all())
}

// reload loads the page of a game again; the text of the element id must stay.
func (b *tab) reload(id string) {
	b.t.Helper()
	before := b.text(id)
	b.do(chromedp.Reload())
	b.wait(`document.getElementById("question")`)
	if got := b.text(id); got != before {
		b.t.Errorf("after a reload %s is %q, before %q", id, got, before)
	}
}

// shot keeps a picture of the whole page, after it has been laid out, where pictures are kept (-artifacts) or MAPO_CI is
// set.
func (b *tab) shot(name string) {
	b.t.Helper()
	if kept := flags.Lookup("test.artifacts"); suite.Reduced() && kept != nil && kept.Value.String() == "false" {
		return
	}
	js[int](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))`, chromedp.EvalAwaitPromise)
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	must(b.t, err)
	must(b.t, os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), png, 0o666))
}

// look shows the page as on a screen so wide, in light or dark.
func (b *tab) look(width int64, dark bool) {
	b.t.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 500})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// axe fails the test on what axe-core finds serious.
func (b *tab) axe(what string) {
	b.t.Helper()
	path := filepath.Join(os.Getenv("NODE_PATH"), "axe-core", "axe.min.js")
	source, err := os.ReadFile(path)
	if os.Getenv("NODE_PATH") == "" || err != nil {
		if os.Getenv("MAPO_CI") != "" {
			b.t.Fatal("no axe-core: npm install --prefix DIR axe-core@4.14.1, and NODE_PATH=DIR/node_modules")
		}
		b.t.Logf("%s: axe-core is not there, so accessibility is not checked", what)
		return
	}
	js[int](b, string(source)+";0")
	found := js[string](b, `axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.map((n) => n.html + " " + n.failureSummary)}))))`,
		chromedp.EvalAwaitPromise)
	var violations []struct {
		ID, Impact string
		Nodes      []string
	}
	must(b.t, json.Unmarshal([]byte(found), &violations))
	for _, v := range violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Errorf("%s: axe: %s (%s): %s", what, v.ID, v.Impact, strings.Join(v.Nodes, "\n"))
		} else {
			b.t.Logf("%s: axe: %s (%s): %s", what, v.ID, v.Impact, v.Nodes[0])
		}
	}
}

// site serves the animals, and a hostile table, with sessions; it returns the
// origin.
func site(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	hostile := servetest.Wheels()
	hostile.Name, hostile.Names[0] = "<script>alert(1)</script>", "<img src=x onerror=alert(1)>"
	for i := range hostile.X {
		hostile.X[i] = fmt.Sprintf("%d <img src=//evil.example/x onerror=alert(1)> \"'&", i)
	}
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, dir, "animals", servetest.Animals(t), nil), servetest.Write(t, dir, "<b>bold #1", hostile, nil))
	return "http://" + listen(t, New(set, s, Options{Version: "test"}))
}

// guesser answers as one animal of the table does.
func guesser(t *testing.T, name string) func(question string) bool {
	p := servetest.Animals(t)
	for k, n := range p.Names {
		if n == name {
			return func(question string) bool {
				for i, x := range p.X {
					if x == question {
						return p.Row(k)[i] == 1
					}
				}
				t.Errorf("no query reads %q", question)
				return false
			}
		}
	}
	t.Fatalf("no animal is called %s", name)
	return nil
}

// press types a key, or clicks the button that stands for it.
func (b *tab) press(keyboard bool, key string) {
	b.t.Helper()
	if keyboard {
		b.do(chromedp.KeyEvent(key))
		return
	}
	b.do(chromedp.Click(chromedp.CSS(map[string]string{"y": "#yes, #right", "n": "#no, #wrong", "+": "#probably", "-": "#probably-not", "?": "#dont-know", "u": "#undo", "s": "#skip"}[key])))
}

// turn presses a key and waits until the game has so many answers and answered guesses.
func (b *tab) turn(keyboard bool, key string, answers int) {
	b.t.Helper()
	b.press(keyboard, key)
	b.wait(fmt.Sprintf(`(new URLSearchParams(location.hash.slice(1)).get("h") ?? "").split(",").filter(Boolean).length === %d && document.querySelectorAll("#answers tr").length === %d`, answers, answers))
}
