// A policy's page: its worst-case curve, the hardest instances found, and its contract.

import { assumed } from "./cards.js";
import { api, draw, el, givesTable, lastPart, num, part, percent, run, show, untrained } from "./common.js";
import { scores } from "./scores.js";
import { retrain } from "./used.js";

const id = lastPart();
const noisiest = 8; // queries named per instance
const reviews = "review" in document.getElementById("main").dataset; // whether the reader may review what is proposed

// curve draws the worst case over difficulty, with its interval and the benchmark.
function curve(levels, identification) {
  const w = Math.max(300, Math.min(innerWidth, 1056) - 66); // as wide as a card, so that letters keep their size
  const [h, left, bottom, top, right] = [w < 600 ? 240 : 320, 44, 40, 12, 16];
  const logs = levels.map((l) => Math.log2(l.r));
  const [lo, hi] = [Math.min(...logs), Math.max(...logs)];
  const most = identification ? 1 : 1.1 * Math.max(...levels.map((l) => Math.max(l.hi, l.benchmark)));
  const x = (l) => left + (hi === lo ? 0.5 : (Math.log2(l.r) - lo) / (hi - lo)) * (w - left - right);
  const y = (v) => h - bottom - (v / most) * (h - bottom - top);
  const path = (value) => levels.map((l, i) => `${i ? "L" : "M"}${x(l).toFixed(1)},${y(value(l)).toFixed(1)}`).join("");
  const svg = draw("svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "Worst case against difficulty; the table below has the numbers" });
  for (let i = 0; i <= 4; i++) {
    const v = (most * i) / 4;
    svg.append(draw("line", { class: "grid", x1: left, x2: w - right, y1: y(v), y2: y(v) }), draw("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, num(v)));
  }
  let last = -Infinity;
  for (const l of levels) {
    if (x(l) - last < 40) continue;
    last = x(l);
    svg.append(draw("text", { x: x(l), y: h - bottom + 18, "text-anchor": "middle" }, num(l.r)));
  }
  const band = `${path((l) => l.hi)}${[...levels].reverse().map((l) => `L${x(l).toFixed(1)},${y(l.lo).toFixed(1)}`).join("")}Z`;
  svg.append(
    draw("line", { class: "axis", x1: left, x2: w - right, y1: h - bottom, y2: h - bottom }),
    draw("text", { x: (left + w - right) / 2, y: h - 4, "text-anchor": "middle" }, "difficulty r"),
    draw("path", { class: "band", d: band }), draw("path", { class: "bench", d: path((l) => l.benchmark) }), draw("path", { class: "curve", d: path((l) => l.worst) }),
    ...levels.map((l) => draw("circle", { class: "point", cx: x(l), cy: y(l.worst), r: 4 })));
  return svg;
}

function levelTable(levels, identification) {
  const head = ["Diffi\u00adculty up to", identification ? "Wrong in, %" : "Short of the best", "Bench\u00admark", "Games"];
  const show = identification ? (x) => num(100 * x) : num;
  return el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Worst cases" }, el("table", {},
    el("thead", {}, el("tr", {}, head.map((t, i) => el("th", { scope: "col", className: i ? "n" : "" }, t)))),
    el("tbody", {}, levels.map((l) => el("tr", {}, el("td", {}, num(l.r)), el("td", { className: "n" }, show(l.worst), " ", el("span", { className: "interval" }, `[${show(l.lo)}, ${show(l.hi)}]`)),
      el("td", { className: "n" }, show(l.benchmark)), el("td", { className: "n" }, String(l.games)))))));
}

// given is what the contract states first: how often the policy is right on average, where it is known, and at worst.
function given(policy) {
  const stop = policy.contract.stop;
  return el("section", { className: "card" }, el("h2", {}, "What it gives"), givesTable(policy.gives, policy.contract.loss, { id: "gives" }),
    el("p", { className: "soft small" }, `In brackets: the 95 % interval. ${stop ? `Games end once sure to ${percent(Number(stop.split(":")[1]))}.` : "Games have all their answers."}`));
}

// mean is the mean answer to a query in words: a share of yes, or in the units of answers.
const mean = (t, problem) => (problem.answers ? `mean ${num(t * problem.answers.bound)}` : `yes in ${percent((t + 1) / 2)}`);

// hardest is the worst instance at one level: who is best and who is close, and which answers are the least sure.
function hardest(level, problem) {
  const value = scores(problem, level.theta);
  const order = value.map((_, k) => k).sort((a, b) => value[b] - value[a]).slice(0, 4);
  const unsure = level.theta.map((_, i) => i).sort((a, b) => Math.abs(level.theta[a]) - Math.abs(level.theta[b])).slice(0, noisiest);
  return el("details", {},
    el("summary", {}, `Up to difficulty ${num(level.r)}: ${problem.hypotheses[order[0]]}`),
    strip(level.theta, problem),
    el("p", { className: "soft small" }, problem.answers ? "The mean answer to every query in order: blue is above 0, red is below, pale is near 0." : "P(yes) of every query in order: blue is yes, red is no, pale is a coin's toss."),
    el("p", {}, `${problem.hypotheses[order[0]]} is best; close behind are `, order.slice(1).map((k) => `${problem.hypotheses[k]} (${num((value[order[0]] - value[k]) * (problem.answers?.bound ?? 1))})`).join(", "), "."),
    el("p", {}, problem.answers ? "The answers closest to 0:" : "The least sure answers:"),
    el("ul", { className: "small" }, unsure.map((i) => el("li", {}, `${problem.queries[i]} (${mean(level.theta[i], problem)})`))));
}

function strip(theta, problem) {
  const node = el("div", { className: "theta", "aria-hidden": "true" });
  theta.forEach((t, i) => {
    const cell = el("span", { title: `${problem.queries[i]}: ${mean(t, problem)}` });
    cell.style.background = t >= 0 ? `rgba(60, 130, 220, ${t.toFixed(2)})` : `rgba(215, 80, 60, ${(-t).toFixed(2)})`;
    node.append(cell);
  });
  return node;
}

function facts(policy) {
  const c = policy.contract;
  const made = policy.trained ? [["Network", c.arch], ["Seed", String(c.seed)]] : [["Asks by", `${c.arch.replace(/^untrained /, "")}, untrained`]];
  const rows = [
    ["Policy", c.name], ["Hash", el("code", {}, policy.hash)], ...made, ["Problem", c.problem.name],
    [policy.labels ? "Items" : "Queries", String(policy.labels ? policy.labels.items : c.problem.queries.length)],
    [policy.labels ? "Models" : "Hypotheses", String(c.problem.hypotheses.length)],
    ["Pool", policy.labels && `${c.problem.labels.pool} items, in ${c.problem.labels.cells.length - 1} cells of equal predictions`],
    ["Classes", policy.labels && policy.labels.classes.join(", ")],
    ["Exploration", policy.labels && policy.labels.explore > 0 && `${percent(policy.labels.explore)} of the items are drawn uniformly`],
    ["Table", policy.learning && `learned from games, version ${policy.version}`],
    ["Budget", `${c.problem.budget} ${policy.labels ? "labels" : "answers"}${c.problem.ask_once ? ", none asked twice" : ""}`],
    ["Stop level", policy.posterior && (policy.stop > 0 ? `asks no more once a hypothesis has ${percent(policy.stop)}, ${assumed}` : "none: asks until the budget is used up")],
    ["Answers", policy.answers && `numbers: Gaussian, of standard deviation ${num(policy.answers.gaussian)}, around means up to ${num(policy.answers.bound)} either way`],
    ["Half answers", !policy.answers && !policy.labels && (c.problem.ask_once ? "probably and probably not are taken" : "none, as a query may be asked twice")],
    ["Don't know", c.dont_know === "spends" ? "uses up an answer" : `uses up no answer; the ${policy.labels ? "item" : "query"} is not asked again`],
    ["Loss", c.loss], ["Rule", c.rule], ["Version", c.version], ...Object.entries(c.trained ?? {}),
  ];
  return el("dl", {}, rows.filter(([, v]) => v).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
}

run(async () => {
  const policy = await api("GET", `/v1/policies/${part(id)}`);
  const c = policy.contract;
  const training = await retrain(policy);
  const levels = c.levels ?? [];
  const identification = c.loss === "best-identification";
  document.title = `mapo: ${id}`;
  show(
    el("h1", {}, id),
    el("div", { className: "row" }, el("a", { className: "button primary", href: `/play/${part(id)}` }, "Play"),
      el("a", { className: "button", href: `/v1/policies/${part(id)}`, download: `${id}.json` }, "Download the contract"),
      reviews && el("a", { className: "button", id: "review", href: `/review/${part(id)}` }, "Review")),
    el("p", {}),
    ...(c.warnings ?? []).map((w) => el("p", { className: "note" }, w)),
    training ?? "",
    policy.gives.length ? given(policy) : "",
    levels.length ? el("section", { className: "card" }, el("h2", {}, "Worst case against difficulty"), curve(levels, identification),
      el("p", { className: "soft small" }, "The line is the loss on the worst instance found, with its 95 % interval (in the table, in brackets); dashed, the benchmark: what a policy made for that difficulty alone reaches."),
      levelTable(levels, identification)) : el("p", { className: "card", id: "unmeasured" }, policy.trained ? "The contract states no worst case." : untrained),
    levels.some((l) => l.theta) && !policy.labels ? el("section", { className: "card" }, el("h2", {}, "Hardest instances found"), levels.filter((l) => l.theta).map((l) => hardest(l, c.problem))) : "",
    el("section", { className: "card" }, el("h2", {}, "Contract"), facts(policy),
      ...(c.notes ?? []).filter(() => policy.trained).map((n) => el("p", { className: "soft small" }, `Note: ${n.replace(/\.$/, "")}.`))));
});
