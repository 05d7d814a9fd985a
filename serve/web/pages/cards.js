// What the pages of a game and of a session share: the buttons, and what the answers say of the hypotheses.

import { answerWord, el, num, percent } from "./common.js";

const named = { "+": "Plus", "−": "Minus" }; // of keys, for aria-keyshortcuts

// button is a button with the key that does the same; null: none does.
export function button(id, text, key, act, className = "") {
  return el("button", { type: "button", id, className, onclick: act, "aria-keyshortcuts": named[key] ?? key }, text, key && el("kbd", { "aria-hidden": "true" }, key));
}

// answerButtons are the answers to a question, with "probably" and "probably not" where half answers are taken.
export function answerButtons(halves, answer, ...more) {
  return el("div", { className: halves ? "answers halves" : "row" },
    button("yes", "Yes", "y", () => answer(1), "answer yes"),
    button("no", "No", "n", () => answer(-1), "answer no"),
    halves && button("probably", "Probably", "+", () => answer(0.5), "answer yes half"),
    halves && button("probably-not", "Probably not", "−", () => answer(-0.5), "answer no half"),
    button("dont-know", "Don't know", "?", () => answer(null), "answer"),
    more);
}

// numberField takes a number as the answer to a question. An empty field sends nothing: a second Enter answers no other question.
export function numberField(answer, ...more) {
  const field = el("input", { id: "number", type: "number", step: "any", autocomplete: "off", required: true });
  const form = el("form", { className: "inline" }, el("label", {}, "Your answer, a number", field), button("send", "Answer", "Enter", null, "primary"));
  form.querySelector("#send").type = "submit";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (Number.isFinite(field.valueAsNumber)) answer(field.valueAsNumber);
  });
  return el("div", { className: "number" }, form, el("div", { className: "row" }, button("dont-know", "Don't know", "?", () => answer(null), "answer"), more));
}

// digit is the key of class c: its name where classes are called by numbers, else its place, from 1; null: it has none.
function digit(classes, c) {
  if (classes.some((text) => /^\d+$/.test(text))) return /^\d$/.test(classes[c]) ? classes[c] : null;
  return c < 9 ? String(c + 1) : null;
}

// classButtons are the classes that an item may have. answer is given the number of the class.
export function classButtons(classes, answer, ...more) {
  return el("div", { className: "labels" },
    el("div", { className: "classes", id: "classes" }, classes.map((text, c) => button(`class-${c}`, text, digit(classes, c), () => answer(c), "answer class"))),
    el("div", { className: "row" }, button("dont-know", "Don't know", "?", () => answer(null), "answer"), more));
}

// classKeys are the keys of classButtons. classes is a list, or nothing where answers are not classes.
export function classKeys(classes, answer) {
  const press = (key) => () => {
    const list = classes() ?? [];
    const c = list.findIndex((_, i) => digit(list, i) === key);
    if (c >= 0) answer(c);
  };
  return Object.fromEntries([..."0123456789"].map((key) => [key, press(key)]));
}

// said is an answer for people, where answers are numbers or not; a class is its name.
export const said = (value, numbers) => (typeof value === "string" ? value : numbers && value !== null ? String(value) : answerWord(value));

// asks is a guess as a question.
export const asks = (guess) => `Is it ${guess.text}?`;

// guessButtons are the answers to a guess. They are not those of a question: a second Enter must not answer it.
export function guessButtons(answer) {
  return el("div", { className: "row" }, button("right", "Yes", "y", () => answer(1), "answer yes"), button("wrong", "No", "n", () => answer(-1), "answer no"));
}

// answerKeys are the keys of answerButtons, and that of don't know where numbers says that answers are numbers or classes. What none may
// answer now is for answer to refuse.
export function answerKeys(halves, numbers, answer) {
  const word = (value) => () => !numbers() && answer(value);
  const half = (value) => () => halves() && word(value)();
  return { y: word(1), n: word(-1), "?": () => answer(null), "+": half(0.5), "-": half(-0.5), "−": half(-0.5) };
}

export const assumed = "if answers follow the table";

// least is the least margin that fills a bar's width: scores of yes and no differ by whole answers, numbers have any unit.
export const least = (numbers) => (numbers ? Number.MIN_VALUE : 1);

// bars is the leading hypotheses, by their probability where there is one, else by their score, where far is what an empty bar is
// behind. Models of a pool are shown by the labels that they predict, of far.
export function bars(ranked, far) {
  return el("ol", { className: "rank", id: "leading" }, ranked.map((r) => {
    const sure = r.confidence !== null;
    const fill = el("span");
    const share = sure ? r.confidence : r.agreed !== undefined ? r.agreed / far : 1 - r.margin / far;
    fill.style.width = `${Math.min(100, Math.max(sure ? 0 : 2, 100 * share))}%`;
    const value = sure ? percent(r.confidence) : r.agreed !== undefined ? String(r.agreed) : r.margin === 0 ? "0" : `−${num(r.margin)}`;
    return el("li", {}, el("span", {}, r.text), el("span", { className: "bar", "aria-hidden": "true" }, fill), el("span", { className: "n small" }, value));
  }));
}

// behind is how a hypothesis stands, in words.
export function behind(r) {
  if (r.confidence !== null) return percent(r.confidence);
  if (r.agreed !== undefined) return `predicts ${r.agreed}`;
  return r.margin === 0 ? "in the lead" : `${num(r.margin)} behind`;
}

// misfit says that the answers do not fit what is recommended.
export function misfit(said) {
  return said.misfit ? el("p", { className: "note", id: "misfit" }, `The answers do not fit ${said.recommendation?.text ?? "any hypothesis"}: when it is right, fewer than one game in a hundred fits as badly.`) : null;
}

// given is a query with the answer to it.
const given = (query, answer) => el("li", {}, `${query.text} `, el("strong", {}, answerWord(answer)));

// contradiction lists the rows that are closest to answers which no row gives. answered is the answer to a query.
export function contradiction(said, answered) {
  if (!said.contradiction) return null;
  return el("section", { className: "card", id: "contradiction" }, el("h2", {}, "No row gives these answers"),
    el("p", {}, "Answers were to be exact. The game goes on as if some of them were wrong. The closest rows, each with the answers that it excludes:"),
    el("ul", {}, said.contradiction.map((near) => el("li", {}, el("strong", {}, near.text),
      el("ul", { className: "small" }, near.differs.map((q) => given(q, answered(q.index))))))));
}

// reasons lists the answers that spoke most for a hypothesis, and against it.
export function reasons(said, text) {
  const side = (id, title, list) => list?.length > 0 && el("div", {}, el("h3", {}, title),
    el("ul", { className: "small", id }, list.map((r) => given(r.query, r.answer))));
  const [pro, contra] = [side("pro", `Spoke most for ${text}`, said.pro), side("contra", `Spoke most against ${text}`, said.contra)];
  return pro || contra ? el("div", { className: "reasons" }, pro, contra || el("p", { className: "small" }, `No answer spoke against ${text}.`)) : null;
}
