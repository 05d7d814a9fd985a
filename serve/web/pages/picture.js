// The picture of the hypotheses: the leading ones as bars, and a dot for each in the table's order, the fuller the
// closer it is to the best. A ring can no longer win; where there are probabilities, it is improbable. One answer of yes or no
// changes the distance of two scores by at most 1. One that is a number may change it by any, and there are no rings.

import { assumed, bars, behind, least, misfit } from "./cards.js";
import { el, num, percent } from "./common.js";

const leading = 5;
const improbable = 1000; // times less probable than the best
const ruledOut = 1000; // the margin of a hypothesis that was guessed and is wrong

// picture draws ranked hypotheses ({index, text, confidence, margin}, the best first), and what a reply of the server
// says of them. numbers: answers are numbers or classes. labels: how many there are where hypotheses are models, else null.
export function picture(ranked, said, numbers, labels) {
  const noun = labels === null ? "hypothesis" : "model";
  const far = labels ? labels : Math.max(least(numbers), ...ranked.map((r) => r.margin).filter((m) => numbers || m < ruledOut));
  const sure = ranked[0].confidence !== null;
  const ring = sure ? (r) => r.confidence * improbable < ranked[0].confidence : (r) => !numbers && r.margin > said.remaining;
  return el("section", { className: "card picture", "aria-label": titles[noun] },
    el("h2", {}, titles[noun]),
    el("p", { id: "sure" }, standing(ranked, said, labels)),
    misfit(said),
    said.recommendation && bars(ranked.slice(0, leading), far),
    dots(ranked, said.recommendation, ring, sure ? (r) => Math.cbrt(r.confidence / ranked[0].confidence) : (r) => 1 - r.margin / far),
    el("p", { className: "soft small" }, legend(ranked.length, ranked.filter(ring).length, sure, numbers, noun)),
    el("details", { id: "all" }, el("summary", { id: "all-summary" }, `All ${ranked.length}${said.recommendation ? `, by ${sure ? "probability" : labels === null ? "score" : "labels predicted"}` : ""}`),
      el("ol", { className: "small" }, ranked.map((r) => el("li", {}, said.recommendation ? `${r.text} (${behind(r)})` : r.text)))));
}

const titles = { hypothesis: "Hypotheses", model: "Models" };

function standing(ranked, { recommendation, confidence, tied }, labels) {
  if (!recommendation) return `All ${tied} tie; nothing is recommended yet.`;
  const each = confidence !== null && percent(confidence);
  if (labels !== null && tied === 1) return `${recommendation.text} predicts ${ranked[0].agreed} of ${labels}, and is recommended.`;
  if (tied > 1) return each ? `${tied} share the lead, each with ${each} ${assumed}.` : `${tied} share the lead.`;
  return each ? [el("strong", {}, `${recommendation.text}: ${each}`), ` ${assumed}.`] : `${recommendation.text} leads by ${num(ranked[1].margin)}.`;
}

function legend(all, rings, sure, numbers, noun) {
  if (sure) return `Each dot is a hypothesis, in fuller colour the more probable it is.${rings ? ` ${rings} of ${all} are rings: the best is over ${improbable} times more probable.` : ""}`;
  const closer = `Each dot is a ${noun}, in fuller colour the closer it is to the best.`;
  if (numbers) return closer;
  return `${closer} ${rings ? `${all - rings} of ${all} can still win; the others are rings` : "All can still win"}.`;
}

function dots(ranked, recommendation, ring, full) {
  const grid = el("div", { className: ranked.length > 600 ? "dots many" : "dots", "aria-hidden": "true" });
  const best = recommendation?.index;
  for (const r of [...ranked].sort((a, b) => a.index - b.index)) {
    const dot = el("span", { className: "dot", title: recommendation ? `${r.text}: ${behind(r)}` : r.text });
    if (r.index !== best && ring(r)) dot.classList.add("out");
    else dot.style.opacity = (0.12 + 0.88 * full(r)).toFixed(2);
    if (r.index === best) dot.classList.add("best");
    grid.append(dot);
  }
  return grid;
}
