// What a game was about: the box that asks for it at the end, says what becomes of it, and takes a question that would
// have helped.

import { completing } from "./complete.js";
import { api, el, part, percent, showFault } from "./common.js";

// objects completes the names of a policy's objects.
export const objects = (policy) => async (like) => (await api("GET", `/v1/policies/${part(policy)}/objects?like=${part(like)}&limit=8`)).objects;

// stood says where a hypothesis stands among n, in words; null: nothing is said of n.
export const stood = (place, n, confidence) => `It is in place ${place}${n === null ? "" : ` of ${n}`}${confidence === null || confidence === undefined ? "" : `, with ${percent(confidence)}`}.`;

// truthBox asks what it was, or says what was told.
//   policy   its id, for the names
//   best     what is recommended and may be right; null: nothing
//   typed    what stands in the field: {text, names}; names are the nearest ones where the table does not have it, else null
//   told     {text, known}, or null
//   found    whether the page says already what it was: a guess was right
//   place    where that stood, in words; null: nothing is said
//   teaches  whether the table learns from it
//   tell     tells a truth; of a new object with true
//   back     [text, act] of the button that takes a truth back, or corrects it
//   game     the id by which the server knows the game
export function truthBox(box) {
  return el("div", { className: "truth", id: "truth" }, box.told ? said(box) : asking(box));
}

function asking({ policy, best, typed, tell }) {
  const was = completing({ id: "was", label: best ? "If not, it was" : "It was", value: typed.text, source: objects(policy) });
  const form = el("form", { className: "inline", onsubmit: (event) => {
    event.preventDefault();
    const text = was.field.value.trim();
    if (text) tell(text, false);
    else was.field.focus();
  } }, was.node, el("button", { id: "tell" }, "Tell"));
  return [el("h2", {}, best ? "Was I right? What was it?" : "What was it?"),
    best && el("div", { className: "row" }, el("button", { type: "button", id: "truth-yes", className: "yes", onclick: () => tell(best, false) }, `Yes, it was ${best}`)),
    form, typed.names && otherwise(typed, tell)];
}

// otherwise offers the nearest names, and a new object, for a name that the table does not have.
function otherwise({ text, names }, tell) {
  return el("div", { id: "unknown" }, el("p", {}, `“${text}” is not in the table.${names.length ? " Did you mean one of these?" : ""}`),
    names.length > 0 && el("div", { className: "row", id: "nearest" }, names.map((name) => el("button", { type: "button", onclick: () => tell(name, false) }, name))),
    el("div", { className: "row" }, el("button", { type: "button", id: "propose", onclick: () => tell(text, true) }, `Something else: propose “${text}” as a new object`)));
}

function said({ policy, told, found, place, teaches, back, game }) {
  const [text, act] = back;
  return [!found && el("h2", {}, `It was ${told.text}`),
    place && el("p", { id: "place" }, place),
    el("p", { id: "thanks" }, thanks(told, teaches)),
    el("div", { className: "row" }, el("button", { type: "button", id: "take-back", onclick: act }, text)),
    !found && helped(policy, told, game)];
}

function thanks(told, teaches) {
  if (!told.known) return `Thank you. An operator decides whether “${told.text}” enters the table.${teaches ? " Then the table learns from this game, too." : ""}`;
  return teaches ? "Thank you. The next version of the table learns from this game." : "Thank you. It is kept with this game, and the table does not learn from it.";
}

const answers = [["1", "Yes"], ["0.5", "Probably"], ["-0.5", "Probably not"], ["-1", "No"]];

// helped takes a question that would have helped, with its answer for what it was.
function helped(policy, told, game) {
  const text = el("input", { id: "helping", maxLength: 200, autocomplete: "off", required: true });
  const answer = el("select", { id: "helping-answer" }, answers.map(([value, word]) => el("option", { value }, word)));
  const send = el("button", { id: "helping-send" }, "Propose");
  const done = el("p", { id: "helping-done", role: "status" });
  const form = el("form", { onsubmit: async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      await api("POST", `/v1/policies/${part(policy)}/questions`, { text: text.value.trim(), answer: Number(answer.value), game });
      showFault(null);
      form.remove();
      done.textContent = `Thank you. An operator decides whether “${text.value.trim()}” enters the table.`;
    } catch (fault) {
      showFault(fault);
    } finally {
      send.disabled = false;
    }
  } }, el("label", {}, "The question", text), el("label", {}, `Its answer for ${told.text}`, answer), send);
  return el("details", { id: "helped" }, el("summary", { id: "helped-summary" }, "A question that would have helped (optional)"), form, done);
}
