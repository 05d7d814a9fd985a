// The policies in service, and the sessions that this browser has opened.

import { api, el, givesTable, keep, kept, part, percent, run, show, showFault, untrained } from "./common.js";

// recent is the sessions this browser knows: ids are all that opens one, so they are kept here alone.
export function recent() {
  try {
    return JSON.parse(kept("mapo-sessions")) ?? [];
  } catch {
    return [];
  }
}

function remember(view) {
  const list = [{ id: view.id, title: view.title ?? "", policy: view.policy.id }, ...recent().filter((s) => s.id !== view.id)];
  keep("mapo-sessions", JSON.stringify(list.slice(0, 50)));
}

function card(policy) {
  const what = policy.labels
    ? [`${policy.hypotheses} models`, `${policy.queries} items`, `${policy.labels.classes.length} classes`, `${policy.budget} labels`]
    : [`${policy.hypotheses} hypotheses`, `${policy.queries} queries`, `${policy.budget} answers`, policy.ask_once && "none asked twice"];
  return el("section", { className: "card" },
    el("h2", {}, policy.id),
    el("p", { className: "soft" }, what.filter(Boolean).join(", ")),
    stated(policy),
    el("div", { className: "row" },
      el("a", { className: "button primary", href: `/play/${part(policy.id)}` }, "Play"),
      el("a", { className: "button", href: `/policies/${part(policy.id)}` }, "Contract")),
    el("details", {}, el("summary", {}, "Label in a session"), form(policy)));
}

// stated is what the contract says of the policy's accuracy, on average and at worst.
function stated(policy) {
  const table = policy.gives.length > 0 && givesTable(policy.gives, policy.loss, { className: "small" });
  if (policy.trained) return table || el("p", { className: "small" }, "Its contract states no accuracy.");
  const asks = policy.stop > 0 && `It asks until one hypothesis has ${percent(policy.stop)}.`;
  return [table, el("p", { className: "small" }, [untrained, asks].filter(Boolean).join(" "))];
}

function form(policy) {
  const title = el("input", { name: "title", maxLength: 200, autocomplete: "off" });
  const margin = el("input", { name: "margin", type: "number", min: "0", step: "0.1", value: "0", inputMode: "decimal" });
  const node = el("form", {},
    el("label", {}, "Title", title),
    policy.posterior ? null : el("label", {}, `Stop when the lead is (${policy.labels ? "labels, " : ""}0: never)`, margin),
    el("button", { type: "submit" }, "Begin"));
  node.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const view = await api("POST", "/v1/sessions", { policy: policy.id, labelling: true, title: title.value, stop: 0, stop_margin: Number(margin.value) || 0 });
      remember(view);
      location.assign(`/label/${view.id}`);
    } catch (fault) {
      showFault(fault);
    }
  });
  return node;
}

function sessions() {
  const list = recent();
  if (list.length === 0) return null;
  return el("section", { className: "card" }, el("h2", {}, "Sessions opened here"),
    el("ul", {}, list.map((s) => el("li", {}, el("a", { href: `/label/${part(s.id)}` }, s.title || `${s.policy}, ${s.id.slice(0, 6)}…`), s.title ? ` (${s.policy})` : ""))));
}

run(async () => {
  const { policies } = await api("GET", "/v1/policies");
  show(el("h1", {}, "Policies"), el("div", { className: "cards" }, policies.map(card)), el("p", {}), sessions() ?? "");
});
