// The operator's page of a policy: proposals to be accepted or rejected, clients that were set aside, and what the table
// has learned. One thing is decided at a time.

import { completing } from "./complete.js";
import { answerWord, api, el, lastPart, num, part, run, say, show, showFault } from "./common.js";
import { objects } from "./truth.js";

const id = lastPart();
const path = `/v1/policies/${part(id)}/review`;

let review = null;
let questions = []; // of the table, to complete
let busy = false;

// decide sends one decision and shows what is left.
async function decide(body, done) {
  if (busy) return;
  busy = true;
  for (const button of document.querySelectorAll("#main button")) button.disabled = true;
  try {
    review = await api("POST", path, body);
    showFault(null);
    paint();
    say(done);
  } catch (fault) {
    for (const button of document.querySelectorAll("#main button")) button.disabled = false;
    showFault(fault);
  } finally {
    busy = false;
  }
}

const plural = (n, word) => `${n} ${n === 1 ? word : `${word}s`}`;
const day = (time) => new Date(time).toLocaleDateString();

function paint() {
  const open = review.proposals;
  show(el("h1", { id: "head", tabIndex: -1, "data-lands": true }, `Review: ${id}`),
    el("p", { className: "soft", id: "built" }, `Table version ${review.version}, learned from ${plural(review.games, "game")}${review.built ? `; built ${new Date(review.built).toLocaleString()}` : ""}. `, el("a", { href: `/policies/${part(id)}` }, "Contract")),
    el("section", { className: "card", id: "proposals", "aria-label": "Open proposals" }, el("h2", {}, "Open proposals"),
      open.length ? el("ul", { className: "plain" }, open.map((p) => el("li", { id: `proposal-${p.id}` }, proposal(p)))) : el("p", { className: "soft" }, "No proposal is open.")),
    el("section", { className: "card", id: "aside", "aria-label": "Clients set aside" }, el("h2", {}, "Clients set aside"), aside()));
}

// proposal is one with what can be done about it.
function proposal(p) {
  const question = p.kind === "question";
  const what = `${question ? "Question" : "Object"}: `;
  const [yes, no] = question ? [picked(p, "yes", "Objects with the answer yes"), picked(p, "no", "Objects with the answer no")] : [];
  const accept = (as) => decide({ proposal: p.id, decision: "accept", ...(as ? { as } : {}), ...(question ? { yes: yes.names(), no: no.names() } : {}) }, `Accepted: ${as || p.text}`);
  const source = question ? async (like) => questions.filter((q) => q.toLowerCase().includes(like.toLowerCase())) : objects(id);
  const as = completing({ id: `as-${p.id}`, label: "Accept as one that the table has, or with another spelling", source, value: question ? "" : p.similar[0] ?? "" });
  const form = el("form", { className: "inline", onsubmit: (event) => {
    event.preventDefault();
    const text = as.field.value.trim();
    if (text) accept(text);
    else as.field.focus();
  } }, as.node, el("button", { id: `accept-as-${p.id}` }, "Accept as"));
  return [el("h3", {}, el("span", { className: "soft" }, what), p.text),
    el("p", { className: "soft small" }, [how(p), `since ${day(p.created)}`].filter(Boolean).join("; "), "."),
    p.similar.length > 0 && el("p", { className: "small" }, `The table has ${p.similar.map((name) => `“${name}”`).join(", ")}.`),
    yes && el("div", { className: "pair" }, yes.node, no.node),
    el("div", { className: "row" },
      el("button", { type: "button", id: `accept-${p.id}`, className: "yes", onclick: () => accept("") }, "Accept as typed"),
      el("button", { type: "button", id: `reject-${p.id}`, className: "no", onclick: () => decide({ proposal: p.id, decision: "reject" }, `Rejected: ${p.text}`) }, "Reject")),
    form].filter(Boolean);
}

// how says how often something was proposed, or what its answer is.
function how(p) {
  if (p.kind === "object") return `proposed in ${plural(p.games, "game")}`;
  return p.truth && p.answer !== null ? `${answerWord(p.answer)} for ${p.truth}` : "proposed without an answer";
}

// picked is a list of objects, chosen one by one.
function picked(p, answer, label) {
  const names = [];
  const list = el("ul", { className: "chips", "aria-label": label });
  const add = (name) => {
    if (!name || names.includes(name)) return;
    names.push(name);
    const item = el("li", {}, name, el("button", { type: "button", className: "remove", "aria-label": `Remove ${name}`, onclick: () => {
      names.splice(names.indexOf(name), 1);
      item.remove();
      choice.field.focus();
    } }, "×"));
    list.append(item);
  };
  const choice = completing({ id: `${answer}-${p.id}`, label, source: objects(id), pick: add });
  const all = () => {
    add(choice.field.value.trim()); // typed, and not chosen
    choice.field.value = "";
    return names;
  };
  return { names: all, node: el("div", {}, choice.node, list) };
}

// aside lists the clients whose games do not count.
function aside() {
  if (review.set_aside.length === 0) return el("p", { className: "soft" }, "No client is set aside.");
  return [el("p", { className: "small" }, "The games of these clients do not count. The median log-likelihood of their games is below the 1 % quantile of the other games."),
    el("ul", { className: "plain" }, review.set_aside.map((c) => el("li", {}, el("h3", {}, el("code", {}, c.client)),
      el("p", { className: "small" }, `${plural(c.games, "game")}; median ${num(c.median)}, 1\u00a0% quantile ${num(c.quantile)}; since ${day(c.since)}.`),
      el("button", { type: "button", "aria-label": `Restore ${c.client}`, onclick: () => decide({ client: c.client, decision: "restore" }, `Restored: ${c.client}`) }, "Restore"))))];
}

run(async () => {
  document.title = `mapo: review ${id}`;
  review = await api("GET", path);
  questions = (await api("GET", `/v1/policies/${part(id)}`)).contract.problem.queries;
  paint();
});
