// What is said of a table that learns from games: that answers are used, and how to be left out.

import { api, el, keep, kept, quote } from "./common.js";

const choice = "mapo-left-out";

// leftOut reports whether games in this browser are not to be learned from.
export const leftOut = () => kept(choice) !== null;

// used says before a game what becomes of it, where the table learns; changed is called when the player decides.
export function used(policy, changed) {
  if (!policy.learning) return null;
  const out = el("input", { type: "checkbox", id: "left-out", checked: leftOut(), onchange: () => {
    keep(choice, out.checked ? "1" : null);
    changed();
  } });
  return el("section", { className: "card", id: "used", "aria-label": "How answers are used" }, el("h2", {}, "Answers are used to improve the table"),
    el("p", {}, "When it is told what a game was about, by a yes to a guess or at the end, the table learns from its answers. Your address or token is kept only as a keyed hash."),
    el("label", { className: "check" }, out, "Leave my games out: tell the server nothing"),
    el("p", { className: "soft small", id: "version" }, version(policy)));
}

// version says which table it is.
export const version = (policy) => `Table version ${policy.version}.`;

// retrain says how a trained policy comes to know what a table has learned, where the server has a table learn.
export async function retrain(policy) {
  if (!policy.trained) return null;
  const { policies } = await api("GET", "/v1/policies");
  const name = policy.contract.problem.name || policy.id;
  const learned = policies.filter((p) => p.learning).sort((a, b) => (b.problem === name) - (a.problem === name))[0]; // at best of the same table
  if (!learned) return null;
  const file = (text) => (/^[\w.-]+$/.test(text) ? text : quote(text));
  return el("section", { className: "card", id: "retrain", "aria-label": "Training again" },
    el("p", {}, `This policy was trained on the table of ${name}; it goes on with it until it is trained again:`),
    el("pre", { className: "wrap" }, `mapo table learn ${file(`${name}.csv`)} --games mapo-sessions.db --policy ${file(learned.id)} -o ${file(`${name}-learned.csv`)}\n`
      + `mapo train ${file(`${name}-learned.csv`)} --init ${file(`${policy.id}.safetensors`)} --out ${file(`${policy.id}-learned.safetensors`)}`),
    el("p", { className: "soft small" }, "Where the table, the database of games or the policy have other files, name those."));
}
