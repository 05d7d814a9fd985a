// The picture of the hypotheses: a dot for each, in the table's order, the fuller the closer to the best; a ring
// where it can no longer win. One answer changes the distance of two scores by at most 1.

import { el, num } from "./common.js";

const bars = 6;

// picture draws ranked hypotheses ({index, text, margin}, the best first), and what a reply of the server says of them.
export function picture(ranked, { recommendation, tied, remaining }) {
  const far = Math.max(1, ranked[ranked.length - 1].margin);
  const open = ranked.filter((r) => r.margin <= remaining).length;
  return el("section", { className: "card", "aria-label": "Hypotheses" },
    el("h2", {}, "Hypotheses"),
    el("p", { id: "sure" }, sure(ranked, recommendation, tied)),
    dots(ranked, recommendation, remaining, far),
    el("p", { className: "soft small" }, `Each dot is a hypothesis, in fuller colour the closer it is to the best. ${open < ranked.length ? `${open} of ${ranked.length} can still win; the others are rings` : "All can still win"}.`),
    recommendation && el("ol", { className: "rank" }, ranked.slice(0, bars).map((r) => row(r, far))),
    el("details", { id: "all" }, el("summary", { id: "all-summary" }, `All ${ranked.length}${recommendation ? ", by score" : ""}`),
      el("ol", { className: "small" }, ranked.map((r) => el("li", {}, `${r.text} (${behind(r)})`)))));
}

function sure(ranked, recommendation, tied) {
  if (!recommendation) return `All ${tied} tie; nothing is recommended yet.`;
  return tied > 1 ? `${tied} share the lead.` : `${ranked[0].text} leads by ${num(ranked[1].margin)}.`;
}

const behind = (r) => (r.margin === 0 ? "in the lead" : `${num(r.margin)} behind`);

function dots(ranked, recommendation, remaining, far) {
  const grid = el("div", { className: ranked.length > 600 ? "dots many" : "dots", "aria-hidden": "true" });
  const best = recommendation?.index;
  for (const r of [...ranked].sort((a, b) => a.index - b.index)) {
    const dot = el("span", { className: "dot", title: `${r.text}: ${behind(r)}` });
    if (r.margin > remaining && r.index !== best) dot.classList.add("out");
    else dot.style.opacity = (1 - 0.88 * (r.margin / far)).toFixed(2);
    if (r.index === best) dot.classList.add("best");
    grid.append(dot);
  }
  return grid;
}

function row(r, far) {
  const fill = el("span");
  fill.style.width = `${Math.max(2, 100 * (1 - r.margin / far))}%`;
  return el("li", {}, el("span", {}, r.text), el("span", { className: "bar", "aria-hidden": "true" }, fill),
    el("span", { className: "n small", "aria-label": behind(r) }, r.margin === 0 ? "0" : `−${num(r.margin)}`));
}
