// A labelling session. The server keeps it: a reload goes on where it was, and several tabs or people may answer;
// each step is answered once.

import { answerButtons, answerKeys, asks, assumed, bars, button, classButtons, classKeys, contradiction, guessButtons, least, misfit, numberField, reasons, said } from "./cards.js";
import { api, el, Fault, keep, kept, keys, lastPart, none, num, part, percent, run, say, show, showFault } from "./common.js";
import { stood, truthBox } from "./truth.js";

const id = lastPart();
const base = `/v1/sessions/${part(id)}`;
const pollEvery = 4000; // ms, for what others answer

let view = null; // what the page shows, and what is answered
let later = null; // what it shows when a name has been typed
let busy = false;
let typed = { text: "", names: null }; // what stands in the field that asks for the truth; names: the nearest ones, where it is none
let correcting = false; // whether a truth that was told is asked for again

const name = () => kept("mapo-annotator") ?? "";

// send does one thing to the session and shows what it is then. A conflict means somebody else was faster.
async function send(path, body) {
  if (busy || !view) return;
  busy = true;
  try {
    await api("POST", base + path, body);
    showFault(null);
    [typed, correcting] = [{ text: "", names: null }, false];
    await load(true);
  } catch (fault) {
    if (fault.nearest) {
      typed = { text: body.truth, names: fault.nearest };
      showFault(null);
      return paint();
    }
    if (fault instanceof Fault && fault.status === 409) await load().catch(() => {});
    showFault(fault);
  } finally {
    busy = false;
  }
}

function answer(value, skip = false) {
  if (view?.query) send("/answers", { step: view.step, query: view.query.index, answer: value, skip, annotator: name() });
  else if (view?.guess && Math.abs(value) === 1) send("/guess", { step: view.step, right: value === 1 });
}

const numbers = () => view?.number_answers || view?.classes !== undefined; // answers are numbers or classes, and not yes or no

const skip = () => button("skip", "Skip", "s", () => answer(null, true), "answer");

const undo = () => send("/undo", { step: view.step });

async function load(sent) {
  take(await api("GET", base), sent);
}

// take shows what the session is now, but not while a name is being typed, or a truth that was not sent.
function take(now, sent) {
  const typing = document.activeElement?.matches(sent ? "#annotator" : "#annotator, #truth input, #truth select");
  later = typing ? now : null;
  if (typing) return;
  view = now;
  paint();
}

function paint() {
  show(el("h1", {}, view.title || "Labelling"),
    el("p", { className: "soft" }, "Policy ", el("a", { id: "policy", href: `/policies/${part(view.policy.id)}` }, view.policy.id), `, ${count(view.answers)}.`),
    el("div", { className: "two" }, el("div", {}, queue(), truth(), doubt(), turns()), el("div", {}, standing(), results())));
  say(["[data-lands]", "#misfit", "#unknown", "#thanks"].map((what) => document.querySelector(what)?.textContent).filter(Boolean).join(" "));
}

const count = (n) => `${n} ${view.classes ? "label" : "answer"}${n === 1 ? "" : "s"}`;
const labelled = () => view.classes || (view.history ?? []).some((t) => typeof t.answer === "string"); // also where the policy is gone
const live = () => (view.history ?? []).some((t) => t.outcome !== "undo" && !t.undone);

function ended() {
  if (view.state === "stale") return "The policy's file now holds another game: this session can only be downloaded.";
  if (view.state === "done") return `Nothing is left to ask.${view.classes && view.recommendation ? ` Recommended after ${count(view.answers)}:` : ""}`;
  return `No ${view.classes ? "item" : "query"} may be asked now.`;
}

function queue() {
  const back = button("undo", "Undo", "u", undo);
  back.disabled = !live() || view.state === "stale";
  if (view.guess) {
    return el("section", { className: "card", "aria-label": "Guess" },
      el("div", { className: "ask" }, el("p", { className: "question", id: "guess", tabIndex: -1, "data-lands": true }, asks(view.guess))),
      guessButtons(answer), el("div", { className: "row" }, back));
  }
  if (!view.query) {
    return el("section", { className: "card", "aria-label": "Queue" },
      el("p", { className: view.classes && view.state === "done" ? "soft" : "question", id: "done", tabIndex: -1, "data-lands": true }, ended()),
      view.classes && view.state === "done" && result(),
      el("div", { className: "row" }, back));
  }
  return el("section", { className: "card", "aria-label": "Queue" },
    el("div", { className: "ask" },
      el("p", { className: "soft", id: "count" }, `${count(view.remaining)} to go`),
      el("p", { className: "question", id: "question", tabIndex: -1, "data-lands": true }, view.query.text)),
    controls(),
    el("div", { className: "row" }, back));
}

function controls() {
  if (view.classes) return classButtons(view.classes, answer, skip());
  return view.number_answers ? numberField(answer, skip()) : answerButtons(view.half_answers, answer, skip());
}

// result is the model that is recommended in the end.
function result() {
  if (!view.recommendation) return el("p", { className: "question", id: "result" }, "All models tie.");
  return [el("p", { className: "question", id: "result" }, view.recommendation.text), el("p", {}, sure()),
    el("div", { className: "row" }, el("a", { id: "labels", className: "button primary", href: `${base}/labels.csv`, download: "" }, "Download the labels"))];
}

// truth asks at the end what it was, or says what was told.
function truth() {
  if (view.state !== "done" || !live() || numbers()) return null;
  const told = correcting ? null : view.truth;
  const best = view.recommendation && view.recommendation.text !== none && !view.truth ? view.recommendation.text : null;
  const correct = () => {
    [correcting, typed] = [true, { text: view.truth.text, names: null }];
    paint();
    document.getElementById("was").focus();
  };
  return el("section", { className: "card", "aria-label": "Truth" }, truthBox({
    policy: view.policy.id, best, typed, told, place: told?.place ? stood(told.place, null, told.confidence) : null, teaches: view.learning,
    tell: (text, fresh) => send("/truth", fresh ? { truth: text, new: true } : { truth: text }), back: ["Correct it", correct], game: id,
  }));
}

const leading = 5;

// standing is what the answers so far say of the hypotheses.
function standing() {
  if (view.state === "stale") return null;
  if (!view.recommendation) {
    return el("section", { className: "card" }, el("h2", {}, "As it stands"),
      el("p", { id: "recommendation" }, `All ${view.tied} ${view.classes ? "models" : "hypotheses"} tie; nothing is recommended yet.`));
  }
  const ranked = [{ ...view.recommendation, confidence: view.confidence, margin: 0, agreed: view.agreed }, ...view.runners_up].slice(0, leading);
  return el("section", { className: "card" }, el("h2", {}, "As it stands"),
    el("p", { id: "recommendation" }, view.recommendation.text),
    el("p", { className: "soft", id: "sure" }, sure()),
    misfit(view),
    bars(ranked, view.classes ? view.answers : Math.max(least(numbers()), ranked[ranked.length - 1].margin)),
    view.classes ? el("p", { className: "soft small" }, `How many of the ${count(view.answers)} each model predicts.`) : null,
    reasons(view, view.recommendation.text),
    view.stop_margin ? el("p", { className: "soft small" }, `It ends at a lead of ${num(view.stop_margin)}${view.classes ? " labels" : ""}.`) : null,
    view.stop ? el("p", { className: "soft small" }, `It ends at ${percent(view.stop)}.`) : null);
}

function sure() {
  const drawn = view.tied > 1 ? `It was drawn from ${view.tied} that share the lead` : null;
  const right = view.agreed === undefined ? "" : ` It predicts ${view.agreed} of ${count(view.answers)}.`;
  if (view.classes && !drawn && view.margin === 0) return right.trim(); // the decision does not go by the number of labels alone
  if (view.confidence === null) return `${drawn ?? `It leads by ${view.classes ? count(view.margin) : num(view.margin)}`}.${right}`;
  return `${percent(view.confidence)} ${assumed}.${drawn ? ` ${drawn}.` : ""}`;
}

// doubt lists the closest rows where no row gives the answers.
function doubt() {
  return contradiction(view, (i) => view.history.findLast((t) => t.outcome === "answer" && !t.undone && t.query.index === i)?.answer);
}

function results() {
  const field = el("input", { id: "annotator", value: name(), maxLength: 100, autocomplete: "off" });
  field.addEventListener("change", () => keep("mapo-annotator", field.value));
  return el("section", { className: "card" }, el("h2", {}, "This session"),
    el("label", {}, "Your name, kept with your answers", field),
    el("div", { className: "row" },
      labelled() && view.state !== "done" ? el("a", { id: "labels", className: "button", href: `${base}/labels.csv`, download: "" }, "Labels so far") : null,
      el("a", { id: "csv", className: "button", href: `${base}/export?format=csv`, download: "" }, labelled() ? "All turns as CSV" : "Download CSV"),
      el("a", { id: "jsonl", className: "button", href: `${base}/export?format=jsonl`, download: "" }, "JSON lines")),
    view.classes ? null : el("p", { className: "soft small", id: "teaches" }, view.learning ? "The table learns from this session once it is told what it was." : "Labelling does not teach the table."),
    el("p", { className: "soft small" }, view.expires ? `Kept until ${new Date(view.expires).toLocaleDateString()} if nothing more happens.` : "Kept until it is deleted."));
}

function turns() {
  const list = [...(view.history ?? [])].reverse();
  if (list.length === 0) return null;
  const word = (t) => (t.outcome === "answer" ? said(t.answer, numbers()) : { "dont-know": "don't know", skip: "skipped", right: "yes", wrong: "no", undo: "undo" }[t.outcome]);
  const text = (t) => t.query?.text ?? (t.guess ? asks(t.guess) : "");
  const title = view.classes ? "Labels so far" : "Answers so far";
  return el("section", { className: "card" }, el("h2", {}, title),
    el("div", { id: "turns", className: "scroll", tabIndex: 0, role: "region", "aria-label": title }, el("table", {},
      el("thead", {}, el("tr", {}, ...["Step", view.classes ? "Item" : "Query", view.classes ? "Class" : "Answer", "By", "Drawn with"].map((t, i) => el("th", { scope: "col", className: i === 4 ? "n" : "" }, t)))),
      el("tbody", { id: "answers" }, list.map((t) => el("tr", { className: t.undone ? "soft" : "" },
        el("td", {}, String(t.step)), el("td", { className: view.classes ? "wrap" : "" }, text(t)), el("td", {}, word(t) + (t.undone ? " (undone)" : "")),
        el("td", {}, t.annotator ?? ""), el("td", { className: "n" }, t.probability.toFixed(3))))))));
}

keys({ ...answerKeys(() => view?.half_answers, numbers, answer), ...classKeys(() => view?.classes, answer), s: () => answer(null, true), u: () => live() && undo() });

document.getElementById("main").addEventListener("focusout", () => setTimeout(() => later && take(later))); // when the focus is where it goes

setInterval(async () => {
  if (document.hidden || busy || !view) return;
  const now = await api("GET", base).catch(() => null);
  const last = later ?? view;
  if (now && !busy && (now.step !== last.step || now.query?.index !== last.query?.index || now.truth?.text !== last.truth?.text)) take(now);
}, pollEvery);

run(async () => {
  document.title = "mapo: label";
  await load();
});
