// The API's page, drawn from its own description.

import { api, el, part, quote, run, show } from "./common.js";

let doc;
let items = false; // whether the policy of the examples asks about the items of a pool

// kind is a schema's type in few words; one that has a name is a link to it.
function kind(schema) {
  if (schema.$ref) return [typeLink(schema.$ref)];
  if (schema.oneOf) return schema.oneOf.flatMap((s, i) => [i ? " or " : "", ...kind(s)]);
  if (schema.enum) return [schema.enum.map((v) => JSON.stringify(v)).join(" | ")];
  if (schema.type === undefined) return ["any"];
  return [schema.type].flat().flatMap((t, i) => [i ? " or " : "", ...(t === "array" ? ["[", ...kind(schema.items), "]"] : [t])]);
}

function typeLink(ref) {
  const name = ref.split("/").pop();
  return el("a", { href: `#type-${name}` }, name);
}

// type is an object's fields.
function type([name, schema]) {
  const rows = Object.entries(schema.properties ?? {}).map(([field, s]) => {
    const optional = !schema.required?.includes(field) && "optional";
    const bounds = [s.minimum !== undefined && `at least ${s.minimum}`, s.maximum !== undefined && `at most ${s.maximum}`, s.exclusiveMaximum !== undefined && `below ${s.exclusiveMaximum}`, s.default !== undefined && `default ${s.default}`];
    return el("tr", {}, el("td", {}, el("code", {}, field)), el("td", {}, kind(s)), el("td", { className: "wrap" }, [optional, s.description, ...bounds].filter(Boolean).join("; ")));
  });
  return el("section", { className: "card", id: `type-${name}` }, el("h3", {}, name),
    schema.description ? el("p", {}, schema.description) : null,
    el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Fields of ${name}` }, el("table", { className: "small" },
      el("thead", {}, el("tr", {}, ["Field", "Type", "Meaning"].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows))));
}

const json = (op) => op.requestBody?.content?.["application/json"];

const needsToken = () => !doc.security?.some((way) => Object.keys(way).length === 0);

// filled is a path with its examples, and with a variable of the shell in place of a session's id.
function filled(path, op) {
  const known = Object.fromEntries(op.parameters?.filter((p) => p.in === "path" && p.example).map((p) => [p.name, part(p.example)]) ?? []);
  const url = location.origin + path.replace(/\{(\w+)\}/g, (slot, name) => known[name] ?? "$SESSION");
  return url.includes("$SESSION") ? `"${url}"` : quote(url);
}

// curl is a command for one operation, as it can be pasted.
function curl(method, path, op) {
  const url = filled(path, op), body = json(op);
  return [
    method === "get" || body ? `curl ${url}` : `curl -X ${method.toUpperCase()} ${url}`,
    needsToken() && '-H "Authorization: Bearer $MAPO_TOKEN"',
    ...(op.parameters ?? []).filter((p) => p.in === "header" && p.required).map((p) => `-H ${quote(`${p.name}: ${p.example}`)}`),
    body && `-H 'Content-Type: application/json'`,
    body && `-d ${quote(JSON.stringify(body.example))}`,
  ].filter(Boolean).join(" \\\n  ");
}

const silent = (command) => command.replace("curl ", "curl -s ");

// atStep is a command whose step is the shell's variable STEP.
const atStep = (command) => command.replace(/"step":\d+/, `"step":'$STEP'`);

// toGuess is commands that answer a session until it guesses.
function toGuess(all) {
  return [
    "STEP=1",
    `while ${silent(curl(...all.session))} | grep -q '"state":"open"'; do`,
    `${atStep(silent(curl(...all.answer)))} > /dev/null`,
    "STEP=$((STEP + 1))",
    "done",
  ];
}

// example is all that is to be pasted: for one session's operations it begins one, for an undo and a truth it answers first,
// for a guess it answers until there is one, and what is withdrawn or decided it sends before. null where the policy of the
// examples has no such thing.
function example(method, path, op) {
  const all = Object.fromEntries(Object.entries(doc.paths).flatMap(([p, methods]) => Object.entries(methods).map(([m, o]) => [o.operationId, [m, p, o]])));
  const before = [], own = curl(method, path, op);
  if (path.startsWith("/v1/sessions/")) before.push(`SESSION=$(${silent(curl(...all["create-session"]))} | sed 's/^{"id":"\\([a-z0-9]*\\)".*/\\1/')`);
  switch (op.operationId) {
    case "undo":
    case "truth":
      return [...before, curl(...all.answer), own].join("\n");
    case "guess":
      return [...before, ...toGuess(all), atStep(own)].join("\n");
    case "withdraw-game":
      return [curl(...all["submit-game"]), own].join("\n");
    case "labels":
      return items ? [...before, own].join("\n") : null;
    case "decide":
      return [`PROPOSAL=$(${silent(curl(...all["propose-question"]))} | sed 's/^{"proposal":\\([0-9]*\\)}.*/\\1/')`, own.replace(/"proposal":\d+/, `"proposal":'$PROPOSAL'`)].join("\n");
    default:
      return [...before, own].join("\n");
  }
}

function operation(method, path, op) {
  const body = json(op)?.schema;
  const good = Object.entries(op.responses).find(([code]) => code.startsWith("2"));
  const reply = Object.entries(good?.[1].content ?? {});
  const parameters = op.parameters ?? [];
  const pasted = example(method, path, op);
  return el("section", { className: "card", id: op.operationId },
    el("h3", {}, op.summary),
    el("p", {}, el("code", {}, el("span", { className: "verb" }, method.toUpperCase()), ` ${path}`)),
    op.description ? el("p", {}, op.description) : null,
    pasted === null ? null : el("pre", { tabIndex: 0 }, pasted),
    parameters.length ? el("ul", {}, parameters.map((p) => el("li", {}, el("code", {}, p.name), ` in the ${p.in}: `, kind(p.schema), p.description ? `, ${p.description}` : ""))) : null,
    body ? el("p", {}, "Request: ", kind(body)) : null,
    reply.map(([media, { schema }]) => el("p", {}, `Reply (${good[0]}${media === "application/json" ? "" : `, ${media}`}): `, kind(schema), media === "application/json" ? "" : `, ${schema.description}`)));
}

// group is the operations with one tag.
function group(tag, operations) {
  return [el("h2", {}, tag.name[0].toUpperCase() + tag.name.slice(1)), el("p", {}, tag.description),
    ...operations.filter(([, , op]) => op.tags.includes(tag.name)).map(([method, path, op]) => operation(method, path, op))];
}

run(async () => {
  doc = await api("GET", "/openapi.json");
  const { policies } = await api("GET", "/v1/policies");
  items = Boolean(policies.find((p) => p.id === json(doc.paths["/v1/sessions"].post).example.policy)?.labels);
  const all = Object.entries(doc.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, op]) => [method, path, op]));
  show(el("h1", {}, "API"), el("p", {}, `${doc.info.description} Version ${doc.info.version}.`),
    el("p", {}, "The description for programs: ", el("a", { href: "/openapi.json" }, "/openapi.json"), ` (OpenAPI ${doc.openapi}). Metrics for Prometheus: `, el("code", {}, "/metrics"), "; health: ", el("code", {}, "/healthz"), "; whether sessions can be written: ", el("code", {}, "/readyz"), "."),
    el("p", {}, `${doc.components.securitySchemes.token.description}${needsToken() ? " The examples take yours from the variable MAPO_TOKEN." : ""}`),
    ...doc.tags.flatMap((tag) => group(tag, all)), el("h2", {}, "Types"), ...Object.entries(doc.components.schemas).map(type));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
