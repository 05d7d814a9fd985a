// A game. All of it is in the address (#seed=…&h=3y,17n,4d,9w), so a reload, a bookmark and a second tab each have
// their own whole game. The server keeps nothing of it until it is told what the game was about.

import { answerButtons, answerKeys, asks, assumed, button, classButtons, classKeys, contradiction, guessButtons, numberField, reasons, said } from "./cards.js";
import { api, el, keys, lastPart, num, part, percent, run, say, show, showFault, untrained } from "./common.js";
import { picture } from "./picture.js";
import { stood, truthBox } from "./truth.js";
import { leftOut, retrain, used } from "./used.js";

const id = lastPart();

// A move is an answer to a query, or one to a guess; in the address it is an index and a letter, or v and a number. The number
// of a class stands for it.
const letters = { y: { answer: 1 }, p: { answer: 0.5 }, d: { answer: null }, m: { answer: -0.5 }, n: { answer: -1 }, r: { right: true }, w: { right: false } };
const numbers = () => policy.answers || policy.labels; // and not yes or no
const letterOf = (move) => (numbers() && move.answer !== null ? `v${move.answer}` : Object.keys(letters).find((l) => letters[l].answer === move.answer && letters[l].right === move.right));
const isGuess = (move) => move?.right !== undefined;

let policy; // with its contract

// moves are {index, answer} or {index, right}; was is the index of what it was, as the player says at the end; truth is what
// the server is told: {text, fresh (a new object), best (what was recommended), key, told (and the server has it)}, or null.
let game = { seed: null, moves: [], was: null, truth: null };
let reply = null; // the server's to game
let training = null; // what is said before a game of training again
let typed = { text: "", names: null }; // what stands in the field that asks for the truth; names: the nearest ones, where it is none
let busy = false;

const problem = () => policy.contract.problem;
const textOf = (index) => (policy.labels ? problem().labels.items : problem().queries)[index];
const answerOf = (answer) => (policy.labels && answer !== null ? policy.labels.classes[answer] : answer);
const last = () => game.moves[game.moves.length - 1];
const solved = () => last()?.right === true;
// measured reports whether answers are measured, of arms and vectors: which hypothesis is the best is then to be found out.
const measured = () => problem().vectors || (!problem().shares && problem().z.length === problem().queries.length && problem().z.every((row, k) => row.indexOf("1") === k && row.lastIndexOf("1") === k));
const learns = () => policy.learning && !leftOut();

// read takes the game from the address.
function read() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const whole = (name) => (/^\d{1,16}$/.test(fields.get(name) || "") ? Number(fields.get(name)) : null);
  const moves = (fields.get("h") || "").split(",").map((entry) => {
    const match = /^(\d{1,9})(?:([ypdmnrw])|v(-?\d{1,30}(?:\.\d{1,30})?(?:e-?\d{1,3})?))$/.exec(entry);
    return match && { index: Number(match[1]), ...(match[2] ? letters[match[2]] : { answer: Number(match[3]) }) };
  });
  const [text, key] = [fields.get("truth"), fields.get("told") ?? fields.get("key")];
  const truth = text && moves.some(Boolean) && /^[0-9a-f]{32}$/.test(key) ? { text, fresh: fields.has("new"), best: fields.get("best") ?? "", key, told: fields.has("told") } : null;
  return { seed: whole("seed"), moves: moves.filter(Boolean), was: whole("was"), truth };
}

// write puts the game into the address. The key of a truth stands under "told" once the server has it; until then all that
// is sent stands there, to be sent again.
function write() {
  const h = game.moves.map((m) => `${m.index}${letterOf(m)}`).join(",");
  const { truth } = game;
  const told = truth ? `&truth=${part(truth.text)}${truth.fresh ? "&new=1" : ""}&${truth.told ? "told" : `best=${part(truth.best)}&key`}=${truth.key}` : "";
  history.replaceState(null, "", `#seed=${game.seed}${h ? `&h=${h}` : ""}${game.was === null ? "" : `&was=${game.was}`}${told}`);
}

// request is a game as the server is asked about it.
function request({ seed, moves, was }) {
  const body = { guess: true, top: 1000000, history: moves.filter((m) => !isGuess(m)).map((m) => ({ query: m.index, answer: m.answer })) };
  body.ruled_out = moves.filter((m) => m.right === false).map((m) => m.index);
  if (seed !== null) body.seed = seed;
  if (was !== null) body.about = was;
  return body;
}

// alone does one thing with the server at a time. What is refused is shown, beside the game as it is then.
async function alone(work) {
  if (busy) return;
  busy = true;
  try {
    await work();
  } catch (fault) {
    if (reply) paint();
    showFault(fault);
  } finally {
    busy = false;
  }
}

// ask asks the server about a game, which then is the page's.
async function ask(next) {
  const now = await api("POST", `/v1/policies/${part(id)}/next`, request(next));
  if (now.policy.hash !== policy.hash) policy = await api("GET", `/v1/policies/${part(id)}`); // another table, or another version of it
  reply = now;
  game = { ...next, seed: now.seed };
  if (last()?.right === false && reply.remaining === 0) reply.guess = null; // the last answer went to a wrong guess
  if (solved() && !game.truth && reply.guess?.index !== last().index) game.moves = game.moves.slice(0, -1); // the policy now guesses another one
  write();
}

// step asks about a game and shows it.
const step = (next) => alone(async () => {
  await ask(next);
  await finish("", null);
});

const go = (moves, was = null) => step({ seed: game.seed, moves, was, truth: null });
const restart = () => step({ seed: null, moves: [], was: null, truth: null });

// answer answers the query, or with yes or no the guess.
function answer(value) {
  if (!reply || game.truth) return;
  if (reply.query) go([...game.moves, { index: reply.query.index, answer: value }]);
  else if (reply.guess && !solved() && Math.abs(value) === 1) guessed({ index: reply.guess.index, right: value === 1 }, reply.guess.text);
}

// guessed answers a guess. A yes is a truth; a no is none.
const guessed = (move, text) => alone(async () => {
  await ask({ ...game, moves: [...game.moves, move], was: null });
  await finish(text, solved() && learns() && tell(text, false));
});

// undo takes the last move back, and before it what was told of the game.
function undo() {
  if (game.moves.length) alone(async () => {
    await withdraw();
    await ask({ ...game, moves: game.moves.slice(0, -1), was: null });
    await finish("", null);
  });
}

const games = `/v1/policies/${part(id)}/games`;
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// tell tells the server what the game was about; fresh proposes a new object. The key stands in the address before the
// request is sent, so that the same truth, sent again, counts once.
async function tell(text, fresh) {
  if (game.truth && (game.truth.text !== text || game.truth.fresh !== fresh)) await withdraw();
  const was = named(text);
  if (was !== game.was) await ask({ ...game, was });
  game.truth ??= { text, fresh, best: solved() ? hypothesis(last().index) : reply.recommendation?.text ?? "", key: newKey(), told: false };
  write();
  await send();
  const meant = named(game.truth.text); // as the table spells it
  if (meant !== game.was) await ask({ ...game, was: meant });
}

// send sends the truth. One that is refused is forgotten; one that gets no answer stays, to be sent again.
async function send() {
  const { text, fresh, best, key } = game.truth;
  const body = { truth: text, recommendation: best, history: request(game).history };
  try {
    const { truth } = await api("POST", games, fresh ? { ...body, new: true } : body, { "Idempotency-Key": key });
    game.truth = { ...game.truth, text: truth.text, fresh: !truth.known, told: true };
  } catch (fault) {
    if (fault.status >= 400 && fault.status < 500 && fault.status !== 429) game.truth = null;
    throw fault;
  } finally {
    write();
  }
}

// withdraw has the server forget what it was told.
async function withdraw() {
  if (!game.truth) return;
  await api("DELETE", `${games}/${game.truth.key}`).catch((fault) => {
    if (fault.status !== 404) throw fault; // it is not there
  });
  game.truth = null;
  write();
}

// finish shows the game when a text has been told, and what was refused.
async function finish(text, telling) {
  const fault = await Promise.resolve(telling).then(() => null, (refused) => refused);
  typed = { text: fault ? text : "", names: fault?.nearest ?? null };
  paint();
  showFault(fault?.nearest ? null : fault);
}

// takeBack withdraws the truth and asks for it again.
const takeBack = () => alone(async () => {
  const { text } = game.truth;
  await withdraw();
  await finish("", null);
  document.getElementById("was").value = text;
  document.getElementById("was").focus();
});

const hypothesis = (index) => problem().hypotheses[index];

// named is the index of the hypothesis with a name, or of the one that has it among others ("A or B"); null: there is none.
function named(text) {
  const same = (other) => other.trim().toLowerCase() === text.trim().toLowerCase();
  const index = [problem().hypotheses.findIndex(same), problem().hypotheses.findIndex((t) => t.split(" or ").some(same))].find((i) => i >= 0);
  return index ?? null;
}

// ranking is every hypothesis, the best first; while all tie and nothing is recommended, in the table's order.
function ranking() {
  if (reply.recommendation) return [{ ...reply.recommendation, confidence: reply.confidence, margin: 0, agreed: reply.agreed }, ...reply.runners_up];
  const even = policy.posterior ? 1 / problem().hypotheses.length : null;
  return problem().hypotheses.map((text, index) => ({ index, text, confidence: even, margin: 0 }));
}

function paint() {
  const ranked = ranking();
  show(
    el("h1", {}, `Play: ${problem().name || id}`),
    el("div", { className: "two game" },
      el("div", {}, turn(ranked), game.moves.length === 0 && [used(policy, paint), training], contradiction(reply, (i) => game.moves.find((m) => m.index === i && !isGuess(m))?.answer)),
      picture(ranked, reply, numbers(), policy.labels ? answered() : null), asked()));
  say(["[data-lands]", "#misfit", "#unknown", "#thanks"].map((what) => document.querySelector(what)?.textContent).filter(Boolean).join(" "));
}

function turn(ranked) {
  if (game.truth) return ending(ranked);
  if (reply.query) return card("Question", progress((given, total) => `${policy.labels ? "Item" : "Question"} ${given + 1} of ${policy.stop > 0 ? "at most " : ""}${total}`), landing("question", reply.query.text), controls());
  if (reply.guess && !solved()) return guess();
  return ending(ranked);
}

function controls() {
  if (policy.labels) return classButtons(policy.labels.classes, answer);
  return policy.answers ? numberField(answer) : answerButtons(problem().ask_once, answer);
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

// promised is what the contract says at the end of a game: the first average, where there is one, and the last worst case.
function promised() {
  const shown = policy.gives.filter((g, i, all) => i === 0 && g.prior || i === all.length - 1);
  return shown.map((g) => el("p", { className: "soft small" }, `The contract: ${g.text}.`));
}

// ending says what was found, what speaks for it, and what the policy promises.
function ending(ranked) {
  const best = solved() ? hypothesis(last().index) : reply.recommendation?.text ?? "nothing";
  const about = game.was === null ? best : hypothesis(game.was);
  return el("section", { className: "card", "aria-label": "Result" },
    outcome(best),
    reply.recommendation && el("p", {}, lead(ranked)),
    promised(),
    game.truth || learns() ? truth(ranked) : solved() || numbers() ? null : whatWasIt(ranked),
    reasons(reply, about),
    el("div", { className: "row" }, button("again", "New game", null, restart, "primary"), undoButton()));
}

function outcome(best) {
  if (solved()) return [el("p", { className: "soft" }, `Found after ${plural(answered(), "answer")}`), landing("result", best)];
  if (wrongGuesses() === 0) return [el("p", { className: "soft" }, `${numbers() ? "Recommended" : "The likeliest"} after ${plural(answered(), policy.labels ? "label" : "answer")}`), landing("result", best)];
  return [el("p", { className: "soft" }, `After ${plural(answered(), "answer")} and ${plural(wrongGuesses(), "wrong guess", "wrong guesses")}`), landing("result", "The game does not know what it is.")];
}

// lead is how sure the recommendation is.
function lead(ranked) {
  const best = solved() || wrongGuesses() === 0 ? "It" : `The likeliest now, ${reply.recommendation.text},`;
  if (reply.confidence !== null) return `${best} has ${percent((solved() ? ranked.find((r) => r.index === last().index) : reply).confidence)} ${assumed}.`;
  const right = reply.agreed === undefined ? "" : ` It predicts ${reply.agreed} of ${plural(answered(), "label")}.`;
  if (policy.labels && reply.tied === 1 && ranked[1].margin === 0) return right.trim(); // the decision does not go by the number of labels alone
  return (reply.tied > 1 ? `${best} was drawn from ${reply.tied} that share the lead.` : `${best} leads by ${policy.labels ? plural(ranked[1].margin, "label") : num(ranked[1].margin)}.`) + right;
}

// whatWasIt asks what it was and says where that stands.
function whatWasIt(ranked) {
  const texts = problem().hypotheses;
  const input = el("input", { id: "was", autocomplete: "off", value: texts[game.was] ?? "" });
  input.setAttribute("list", "hypotheses");
  const unknown = el("p", { className: "soft small", role: "status" });
  input.addEventListener("change", () => {
    const typed = input.value.trim().toLowerCase();
    const index = texts.findIndex((t) => t.toLowerCase() === typed);
    if (index >= 0 || !typed) go(game.moves, index >= 0 ? index : null);
    else unknown.textContent = "The table has no such row.";
  });
  const where = place(ranked);
  return el("div", {}, el("label", {}, "What was it?", input), el("datalist", { id: "hypotheses" }, texts.map((t) => el("option", { value: t }))), unknown,
    where && el("p", { id: "place" }, where));
}

// place says where what it was stands; null where that is not in the table.
function place(ranked) {
  const at = ranked.findIndex((r) => r.index === game.was);
  if (at < 0) return null;
  if (game.moves.some((m) => m.right === false && m.index === game.was)) return "It was guessed, and the guess was answered with no.";
  return stood(at + 1, ranked.length, ranked[at].confidence);
}

// truth asks what it was, and tells the server.
function truth(ranked) {
  const told = game.truth?.told ? { text: game.truth.text, known: !game.truth.fresh || named(game.truth.text) !== null } : null;
  return truthBox({
    policy: id, best: solved() ? hypothesis(last().index) : null, typed, told, found: solved(), place: solved() ? null : place(ranked), teaches: true,
    tell: (text, fresh) => alone(() => finish(text, tell(text, fresh))), back: ["Take it back", takeBack], game: game.truth && `${id}/${game.truth.key}`,
  });
}

// asked is the answers so far; with the last reply's probabilities only the current one's is known.
function asked() {
  if (game.moves.length === 0) return intro();
  const row = (m) => (isGuess(m) ? [asks({ text: hypothesis(m.index) }), m.right ? "yes" : "no"] : [textOf(m.index), said(answerOf(m.answer), numbers())]);
  return el("section", { className: "card asked" }, el("h2", {}, policy.labels ? "Labels so far" : "Answers so far"),
    el("div", { className: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, policy.labels ? "Item" : "Question"), el("th", { scope: "col" }, policy.labels ? "Class" : "Answer"))),
      el("tbody", { id: "answers" }, [...game.moves].reverse().map(row).map(([text, word]) => el("tr", {}, el("td", {}, text), el("td", { className: "short" }, word)))))));
}

function intro() {
  const dontKnow = el("p", {}, `To say “don't know” costs ${policy.contract.dont_know === "spends" ? "one of the answers" : "nothing"}; the ${policy.labels ? "item" : "question"} does not come again.`);
  if (policy.labels) {
    return el("section", { className: "card asked" }, el("h2", {}, "How it goes"),
      el("p", {}, `Give each item its class. At the end one of the ${problem().hypotheses.length} models is recommended. Keys 1 to 9, ? and u do the same as the buttons.`), dontKnow, drawn());
  }
  if (policy.answers) {
    return el("section", { className: "card asked" }, el("h2", {}, "How it goes"),
      el("p", {}, `Answer each question with the number that you measure. At the end one of the ${problem().hypotheses.length} hypotheses is recommended.`), dontKnow, drawn());
  }
  if (measured()) {
    return el("section", { className: "card asked" }, el("h2", {}, "How it goes"),
      el("p", {}, `Answer each question. At the end one of the ${problem().hypotheses.length} hypotheses is recommended. Keys y, n, ? and u do the same as the buttons.`), dontKnow, drawn());
  }
  const stops = policy.stop > 0 ? `It asks until one has ${percent(policy.stop)}, and then guesses.` : "It guesses after the last answer.";
  return el("section", { className: "card asked" }, el("h2", {}, "How it goes"),
    el("p", {}, `Think of one of the ${problem().hypotheses.length} hypotheses and answer. Keys ${problem().ask_once ? "y, n, +, −, ?" : "y, n, ?"} and u do the same as the buttons.`),
    el("p", {}, `${stops} A wrong guess uses up an answer.`),
    dontKnow,
    drawn());
}

// drawn says how the first question came about.
const drawn = () => [policy.trained ? null : el("p", { className: "soft small", id: "untrained" }, untrained),
  reply.query && el("p", { className: "soft small" }, `This ${policy.labels ? "item" : "question"} was drawn with probability ${reply.probabilities[reply.query.index].toFixed(3)}.`)];

keys({ ...answerKeys(() => problem().ask_once, numbers, answer), ...classKeys(() => policy.labels?.classes, answer), u: undo });
// begin shows the game in the address, and sends a truth whose answer was not seen.
const begin = () => alone(async () => {
  await ask(read());
  await finish(game.truth?.text ?? "", game.truth && !game.truth.told && send());
});

addEventListener("hashchange", begin);

run(async () => {
  policy = await api("GET", `/v1/policies/${part(id)}`);
  training = await retrain(policy);
  document.title = `mapo: play ${id}`;
  await begin();
});
