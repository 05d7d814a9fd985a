// What all pages share. Texts of tables reach the page as text nodes only.

// el makes an element: properties, attributes (with "aria-" or listed ones) and children.
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && !key.startsWith("aria-")) node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// draw makes an SVG element.
export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Fault is a request that the server refused, with its reason. Where a name is unknown it has the nearest names.
export class Fault extends Error {
  constructor(status, text, nearest) {
    super(text);
    this.status = status;
    this.nearest = nearest;
  }
}

// api calls the server and returns the reply's JSON, or throws a Fault.
export async function api(method, path, body, headers) {
  const options = { method, headers: { Accept: "application/json", ...headers } };
  if (method === "POST") {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body ?? {});
  }
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new Fault(0, "The server does not answer. Is it still running?");
  }
  if (reply.status === 401) location.reload(); // a token is asked for, and this page comes again
  const data = reply.status === 204 ? null : await reply.json().catch(() => null);
  if (!reply.ok) throw new Fault(reply.status, reason(data) || `The server says ${reply.status}.`, data?.nearest);
  return data;
}

function reason(data) {
  const more = (data?.errors ?? []).map((e) => `${e.location ?? ""} ${e.message}`.trim());
  return [data?.detail, ...more].filter(Boolean).join("; ");
}

// say tells what has changed to who cannot see it.
export function say(text) {
  document.getElementById("live").textContent = text;
}

// show replaces the page's content. What has the focus keeps it, and what is unfolded stays so, by their ids. Where the
// element with the focus is gone or disabled, the text marked "data-lands" gets it: there a second Enter does nothing.
export function show(...nodes) {
  const main = document.getElementById("main");
  const focus = document.activeElement;
  const inside = focus.id && focus !== main && main.contains(focus);
  const unfolded = [...main.querySelectorAll("details[id][open]")].map((d) => d.id);
  main.replaceChildren(...nodes);
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
  if (!inside) return;
  const again = document.getElementById(focus.id);
  (again && !again.disabled ? again : main.querySelector("[data-lands]"))?.focus();
}

// showFault puts a fault at the top of the page, and takes it away for null.
export function showFault(fault) {
  document.getElementById("fault")?.remove();
  if (fault) document.getElementById("main").prepend(el("p", { id: "fault", className: "fault", role: "alert" }, fault.message));
}

// run starts a page and shows what goes wrong.
export function run(start) {
  start().catch((fault) => {
    if (!(fault instanceof Fault)) console.error(fault);
    showFault(fault);
  });
}

// lastPart is the id in the page's address.
export function lastPart() {
  return decodeURIComponent(location.pathname.split("/").pop());
}

// part is text as a part of an address.
export const part = encodeURIComponent;

// quote is text as one word of a shell.
export const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// keys calls a handler for a key that is typed outside of fields.
export function keys(handlers) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target instanceof HTMLInputElement && event.target.type !== "checkbox" || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement) return;
    const handler = handlers[event.key.toLowerCase()];
    if (!handler) return;
    event.preventDefault();
    handler();
  });
}

// page holds what the browser does not keep, where its storage is blocked.
const page = new Map();

// kept is the text that this browser keeps under a key, or null.
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return page.get(key) ?? null;
  }
}

// keep has this browser keep a text under a key, or forget it for null. Where storage is blocked it
// lasts as long as the page.
export function keep(key, text) {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    page.set(key, text);
  }
}

// percent is a share for people. Only 1 is 100 %, and only 0 is 0 %.
export function percent(x) {
  const unit = "\u00a0%";
  if (x > 0 && x < 0.005) return `<1${unit}`;
  if (x < 1 && x >= 0.995) return x < 0.999 ? `${Math.floor(1000 * x) / 10}${unit}` : `>99.9${unit}`;
  return `${Math.round(100 * x)}${unit}`;
}

// num is a number for people.
export const num = (x) => String(Math.abs(x) >= 100 ? Math.round(x) : Number(x.toPrecision(3)));

// givesTable is how well a policy does with each kind of answers, as its file states it, for a loss.
export function givesTable(gives, loss, props) {
  const early = gives.some((g) => g.questions);
  const head = ["Answers", loss === "best-identification" ? "Right in" : "Short of the best", early && "Questions"].filter(Boolean);
  const amount = (text) => {
    const [value, interval] = text.split(/ (?=\[)/); // "94.4 % [94.1, 94.7]"
    return [value, " ", interval && el("span", { className: "interval" }, interval)];
  };
  return el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "How well it does" }, el("table", props,
    el("thead", {}, el("tr", {}, head.map((t, i) => el("th", { scope: "col", className: i ? "n" : "" }, t)))),
    el("tbody", {}, gives.map((g) => el("tr", {}, el("td", {}, g.answers), el("td", { className: "n" }, amount(g.amount)),
      early && el("td", { className: "n" }, g.questions ? num(g.questions.mean) : ""))))));
}

const words = new Map([[1, "yes"], [0.5, "probably"], [null, "don't know"], [-0.5, "probably not"], [-1, "no"]]);

// answerWord is an answer for people; of several answers to one query, their mean.
export const answerWord = (a) => words.get(a) ?? `yes in ${percent((1 + a) / 2)}`;

// untrained is what is said of a policy that needs no training.
export const untrained = "It was not trained on this problem, and its worst case is not measured.";

// none is the hypothesis that it is none of the table's. It is recommended, and is no truth.
export const none = "none of these";
