// A game. All of it is in the address (#seed=…&h=3y,17n,4d), so a reload, a bookmark and a second tab each have
// their own whole game, and the server keeps nothing.

import { answerWord, api, el, keys, lastPart, num, part, promise, run, say, show, showFault } from "./common.js";
import { picture } from "./picture.js";

const id = lastPart();
const letters = { y: 1, n: -1, d: null };
const letterOf = (a) => (a === 1 ? "y" : a === -1 ? "n" : "d");

let contract; // of the policy
let game = { seed: null, history: [] }; // history: {query, answer}
let reply = null; // the server's to game
let busy = false;

// read takes the game from the address.
function read() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const history = (fields.get("h") || "").split(",").filter(Boolean).map((entry) => {
    const match = /^(\d{1,9})([ynd])$/.exec(entry);
    return match && { query: Number(match[1]), answer: letters[match[2]] };
  });
  const seed = /^\d{1,16}$/.test(fields.get("seed") || "") ? Number(fields.get("seed")) : null;
  return { seed, history: history.filter(Boolean) };
}

// write puts the game into the address.
function write() {
  const h = game.history.map((a) => `${a.query}${letterOf(a.answer)}`).join(",");
  history.replaceState(null, "", `#seed=${game.seed}${h ? `&h=${h}` : ""}`);
}

// step asks the server about a game and shows it. A refused one leaves the page as it was.
async function step(next) {
  if (busy) return;
  busy = true;
  try {
    const body = { history: next.history, top: 1000000 };
    if (next.seed !== null) body.seed = next.seed;
    const got = await api("POST", `/v1/policies/${part(id)}/next`, body);
    reply = got;
    game = { seed: got.seed, history: next.history };
    write();
    showFault(null);
    paint();
  } catch (fault) {
    showFault(fault);
  } finally {
    busy = false;
  }
}

function answer(value) {
  if (reply?.query) step({ seed: game.seed, history: [...game.history, { query: reply.query.index, answer: value }] });
}

function undo() {
  if (game.history.length) step({ seed: game.seed, history: game.history.slice(0, -1) });
}

const restart = () => step({ seed: null, history: [] });

// ranking is every hypothesis, the best first; while all tie and nothing is recommended, in the table's order.
function ranking() {
  if (!reply.recommendation) return contract.problem.hypotheses.map((text, index) => ({ index, text, margin: 0 }));
  return [{ ...reply.recommendation, margin: 0 }, ...reply.runners_up];
}

function paint() {
  const texts = contract.problem.queries;
  const ranked = ranking();
  const given = game.history.filter((a) => a.answer !== null || contract.dont_know === "spends").length;
  show(
    el("h1", {}, `Play: ${contract.problem.name || id}`),
    el("div", { className: "two" },
      el("div", {}, reply.query ? question(given) : ending(ranked), asked(texts)),
      picture(ranked, reply)));
  say(reply.query ? reply.query.text : `The guess is ${reply.recommendation.text}.`);
}

function question(given) {
  const total = given + reply.remaining;
  return el("section", { className: "card", "aria-label": "Question" },
    el("div", { className: "ask" },
      el("p", { className: "soft", id: "count" }, `Question ${given + 1} of ${total}`),
      el("progress", { max: total, value: given, "aria-label": "Answers given" }),
      el("p", { className: "question", id: "question", tabIndex: -1, "data-lands": true }, reply.query.text)),
    el("div", { className: "row" },
      button("yes", "Yes", "y", () => answer(1), "answer yes"),
      button("no", "No", "n", () => answer(-1), "answer no"),
      button("dont-know", "Don't know", "?", () => answer(null), "answer")),
    el("div", { className: "row" }, undoButton(), button("restart", "New game", null, restart)));
}

function button(name, text, key, act, className = "") {
  return el("button", { type: "button", id: name, className, onclick: act, "aria-keyshortcuts": key }, text, key && el("kbd", { "aria-hidden": "true" }, key));
}

function undoButton() {
  const b = button("undo", "Undo", "u", undo);
  b.disabled = game.history.length === 0;
  return b;
}

function ending(ranked) {
  const levels = contract.levels ?? [];
  return el("section", { className: "card", "aria-label": "Result" },
    el("p", { className: "soft" }, "The guess is"),
    el("p", { className: "question", id: "guess", tabIndex: -1, "data-lands": true }, reply.recommendation.text),
    el("p", {}, reply.tied > 1 ? `It was drawn from ${reply.tied} that share the lead.` : `It leads by ${num(ranked[1].margin)}.`),
    levels.length ? el("p", { className: "soft" }, `The contract: ${promise(levels[levels.length - 1], contract.loss)}.`) : null,
    el("div", { className: "row" }, button("again", "New game", null, restart, "primary"), undoButton()));
}

// asked is the answers so far; with the last reply's probabilities only the current one's is known.
function asked(texts) {
  if (game.history.length === 0) {
    return el("section", { className: "card" }, el("h2", {}, "How it goes"),
      el("p", {}, `Think of one of the ${contract.problem.hypotheses.length} hypotheses and answer. Keys y, n, ? and u do the same as the buttons.`),
      el("p", {}, `To say “don't know” costs ${contract.dont_know === "spends" ? "one of the answers" : "nothing"}; the question does not come again.`),
      reply.query && el("p", { className: "soft small" }, `This question was drawn with probability ${reply.probabilities[reply.query.index].toFixed(3)}.`));
  }
  return el("section", { className: "card" }, el("h2", {}, "Answers so far"),
    el("div", { className: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Question"), el("th", { scope: "col" }, "Answer"))),
      el("tbody", { id: "answers" }, [...game.history].reverse().map((a) => el("tr", {}, el("td", {}, texts[a.query]), el("td", { className: "short" }, answerWord(a.answer))))))));
}

keys({ y: () => answer(1), n: () => answer(-1), "?": () => answer(null), u: undo });
addEventListener("hashchange", () => step(read()));

run(async () => {
  const policy = await api("GET", `/v1/policies/${part(id)}`);
  contract = policy.contract;
  document.title = `mapo: play ${id}`;
  await step(read());
});
