// A game. All of it is in the address (#seed=…&h=3y,17n,4d,9w), so a reload, a bookmark and a second tab each have
// their own whole game, and the server keeps nothing.

import { answerButtons, answerKeys, asks, assumed, button, contradiction, guessButtons, reasons } from "./cards.js";
import { answerWord, api, el, keys, lastPart, num, part, percent, promise, run, say, show, showFault, untrained } from "./common.js";
import { picture } from "./picture.js";

const id = lastPart();

// A move is an answer to a query, or one to a guess; in the address it is an index and a letter.
const letters = { y: { answer: 1 }, p: { answer: 0.5 }, d: { answer: null }, m: { answer: -0.5 }, n: { answer: -1 }, r: { right: true }, w: { right: false } };
const letterOf = (move) => Object.keys(letters).find((l) => letters[l].answer === move.answer && letters[l].right === move.right);
const isGuess = (move) => move?.right !== undefined;

let policy; // with its contract
let game = { seed: null, moves: [], was: null }; // moves: {index, answer} or {index, right}; was: what it was, as the player says at the end
let reply = null; // the server's to game
let busy = false;

const problem = () => policy.contract.problem;
const last = () => game.moves[game.moves.length - 1];
const solved = () => last()?.right === true;

// read takes the game from the address.
function read() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const whole = (name) => (/^\d{1,16}$/.test(fields.get(name) || "") ? Number(fields.get(name)) : null);
  const moves = (fields.get("h") || "").split(",").map((entry) => {
    const match = /^(\d{1,9})([ypdmnrw])$/.exec(entry);
    return match && { index: Number(match[1]), ...letters[match[2]] };
  });
  return { seed: whole("seed"), moves: moves.filter(Boolean), was: whole("was") };
}

// write puts the game into the address.
function write() {
  const h = game.moves.map((m) => `${m.index}${letterOf(m)}`).join(",");
  history.replaceState(null, "", `#seed=${game.seed}${h ? `&h=${h}` : ""}${game.was === null ? "" : `&was=${game.was}`}`);
}

// request is a game as the server is asked about it.
function request({ seed, moves, was }) {
  const body = { guess: true, top: 1000000, history: moves.filter((m) => !isGuess(m)).map((m) => ({ query: m.index, answer: m.answer })) };
  body.ruled_out = moves.filter((m) => m.right === false).map((m) => m.index);
  if (seed !== null) body.seed = seed;
  if (was !== null) body.about = was;
  return body;
}

// step asks the server about a game and shows it. A refused one leaves the page as it was.
async function step(next) {
  if (busy) return;
  busy = true;
  try {
    reply = await api("POST", `/v1/policies/${part(id)}/next`, request(next));
    game = { ...next, seed: reply.seed };
    if (last()?.right === false && reply.remaining === 0) reply.guess = null; // the last answer went to a wrong guess
    if (solved() && reply.guess?.index !== last().index) game.moves = game.moves.slice(0, -1); // the policy now guesses another one
    write();
    showFault(null);
    paint();
  } catch (fault) {
    showFault(fault);
  } finally {
    busy = false;
  }
}

const go = (moves, was = null) => step({ seed: game.seed, moves, was });
const restart = () => step({ seed: null, moves: [], was: null });

// answer answers the query, or with yes or no the guess.
function answer(value) {
  if (reply?.query) go([...game.moves, { index: reply.query.index, answer: value }]);
  else if (reply?.guess && !solved() && Math.abs(value) === 1) go([...game.moves, { index: reply.guess.index, right: value === 1 }]);
}

function undo() {
  if (game.moves.length) go(game.moves.slice(0, -1));
}

// ranking is every hypothesis, the best first; while all tie and nothing is recommended, in the table's order.
function ranking() {
  if (reply.recommendation) return [{ ...reply.recommendation, confidence: reply.confidence, margin: 0 }, ...reply.runners_up];
  const even = policy.posterior ? 1 / problem().hypotheses.length : null;
  return problem().hypotheses.map((text, index) => ({ index, text, confidence: even, margin: 0 }));
}

function paint() {
  const ranked = ranking();
  show(
    el("h1", {}, `Play: ${problem().name || id}`),
    el("div", { className: "two game" },
      el("div", {}, turn(ranked), contradiction(reply, (i) => game.moves.find((m) => m.index === i && !isGuess(m))?.answer)),
      picture(ranked, reply), asked()));
  say([document.querySelector("[data-lands]").textContent, document.getElementById("misfit")?.textContent].filter(Boolean).join(" "));
}

function turn(ranked) {
  if (reply.query) return card("Question", progress((given, total) => `Question ${given + 1} of ${policy.stop > 0 ? "at most " : ""}${total}`), landing("question", reply.query.text), answerButtons(problem().ask_once, answer));
  if (reply.guess && !solved()) return guess();
  return ending(ranked);
}

const landing = (name, text) => el("p", { className: "question", id: name, tabIndex: -1, "data-lands": true }, text);

function card(label, head, text, controls) {
  return el("section", { className: "card", "aria-label": label }, el("div", { className: "ask" }, head, text), controls,
    el("div", { className: "row" }, undoButton(), button("restart", "New game", null, restart)));
}

const wrongGuesses = () => game.moves.filter((m) => m.right === false).length;
const answered = () => game.moves.filter((m) => !isGuess(m) && m.answer !== null).length;

// progress is how much of the budget is used; a wrong guess uses an answer.
function progress(words) {
  const used = game.moves.filter((m) => m.answer !== null || policy.contract.dont_know === "spends").length;
  const given = Math.min(used, problem().budget);
  return [el("p", { className: "soft", id: "count" }, words(given, given + reply.remaining)),
    el("progress", { max: given + reply.remaining, value: given, "aria-label": "Answers given" })];
}

const plural = (n, word, words = `${word}s`) => `${n} ${n === 1 ? word : words}`;

// guess asks whether it is what is guessed.
function guess() {
  return card("Guess", progress(() => `Guess ${wrongGuesses() + 1}, after ${plural(answered(), "answer")}`), landing("guess", asks(reply.guess)), guessButtons(answer));
}

function undoButton() {
  const b = button("undo", "Undo", "u", undo);
  b.disabled = game.moves.length === 0;
  return b;
}

// ending says what was found, what speaks for it, and what the policy promises.
function ending(ranked) {
  const levels = policy.contract.levels ?? [];
  const best = reply.recommendation.text;
  const about = game.was === null ? best : problem().hypotheses[game.was];
  return el("section", { className: "card", "aria-label": "Result" },
    outcome(best),
    el("p", {}, lead(ranked)),
    levels.length ? el("p", { className: "soft" }, `The contract: ${promise(levels[levels.length - 1], policy.contract.loss)}.`) : null,
    solved() ? null : whatWasIt(ranked),
    reasons(reply, about),
    el("div", { className: "row" }, button("again", "New game", null, restart, "primary"), undoButton()));
}

function outcome(best) {
  if (solved()) return [el("p", { className: "soft" }, `Found after ${plural(answered(), "answer")}`), landing("result", best)];
  if (wrongGuesses() === 0) return [el("p", { className: "soft" }, `The likeliest after ${plural(answered(), "answer")}`), landing("result", best)];
  return [el("p", { className: "soft" }, `After ${plural(answered(), "answer")} and ${plural(wrongGuesses(), "wrong guess", "wrong guesses")}`), landing("result", "The game does not know what it is.")];
}

// lead is how sure the recommendation is.
function lead(ranked) {
  const best = solved() || wrongGuesses() === 0 ? "It" : `The likeliest now, ${reply.recommendation.text},`;
  if (reply.confidence !== null) return `${best} has ${percent(reply.confidence)} ${assumed}.`;
  return reply.tied > 1 ? `${best} was drawn from ${reply.tied} that share the lead.` : `${best} leads by ${num(ranked[1].margin)}.`;
}

// whatWasIt asks what it was and says where that stands.
function whatWasIt(ranked) {
  const texts = problem().hypotheses;
  const field = el("input", { id: "was", autocomplete: "off", value: texts[game.was] ?? "" });
  field.setAttribute("list", "hypotheses");
  const unknown = el("p", { className: "soft small", role: "status" });
  field.addEventListener("change", () => {
    const typed = field.value.trim().toLowerCase();
    const index = texts.findIndex((t) => t.toLowerCase() === typed);
    if (index >= 0 || !typed) go(game.moves, index >= 0 ? index : null);
    else unknown.textContent = "The table has no such row.";
  });
  const place = ranked.findIndex((r) => r.index === game.was);
  const ruled = game.moves.some((m) => m.right === false && m.index === game.was);
  return el("div", {}, el("label", {}, "What was it?", field), el("datalist", { id: "hypotheses" }, texts.map((t) => el("option", { value: t }))), unknown,
    place >= 0 && el("p", { id: "place" }, ruled ? "It was guessed, and the guess was answered with no." : `It is in place ${place + 1} of ${ranked.length}${reply.confidence === null ? "" : `, with ${percent(ranked[place].confidence)}`}.`));
}

// asked is the answers so far; with the last reply's probabilities only the current one's is known.
function asked() {
  if (game.moves.length === 0) return intro();
  const row = (m) => (isGuess(m) ? [asks({ text: problem().hypotheses[m.index] }), m.right ? "yes" : "no"] : [problem().queries[m.index], answerWord(m.answer)]);
  return el("section", { className: "card asked" }, el("h2", {}, "Answers so far"),
    el("div", { className: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Question"), el("th", { scope: "col" }, "Answer"))),
      el("tbody", { id: "answers" }, [...game.moves].reverse().map(row).map(([text, word]) => el("tr", {}, el("td", {}, text), el("td", { className: "short" }, word)))))));
}

function intro() {
  const stops = policy.stop > 0 ? `It asks until one has ${percent(policy.stop)}, and then guesses.` : "It guesses after the last answer.";
  return el("section", { className: "card asked" }, el("h2", {}, "How it goes"),
    el("p", {}, `Think of one of the ${problem().hypotheses.length} hypotheses and answer. Keys ${problem().ask_once ? "y, n, +, −, ?" : "y, n, ?"} and u do the same as the buttons.`),
    el("p", {}, `${stops} A wrong guess uses up an answer.`),
    el("p", {}, `To say “don't know” costs ${policy.contract.dont_know === "spends" ? "one of the answers" : "nothing"}; the question does not come again.`),
    policy.trained ? null : el("p", { className: "soft small", id: "untrained" }, untrained),
    reply.query && el("p", { className: "soft small" }, `This question was drawn with probability ${reply.probabilities[reply.query.index].toFixed(3)}.`));
}

keys({ ...answerKeys(() => problem().ask_once, answer), u: undo });
addEventListener("hashchange", () => step(read()));

run(async () => {
  policy = await api("GET", `/v1/policies/${part(id)}`);
  document.title = `mapo: play ${id}`;
  await step(read());
});
