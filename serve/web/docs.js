// The API's page, drawn from its own description.

import { api, el, run, show } from "./common.js";

let doc;

// resolve follows a reference.
function resolve(schema) {
  return schema?.$ref ? schema.$ref.slice(2).split("/").reduce((node, key) => node[key], doc) : schema;
}

// kind is a schema's type in few words.
function kind(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.oneOf) return schema.oneOf.map(kind).join(" or ");
  const types = [schema.type].flat();
  if (schema.enum) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  return types.map((t) => (t === "array" ? `[${kind(schema.items)}]` : t)).join(" or ");
}

// fields is a table of an object's properties, with those of the objects in it.
function fields(schema, seen = new Set()) {
  schema = resolve(schema);
  if (!schema?.properties) return [];
  const inner = [];
  const rows = Object.entries(schema.properties).map(([name, s]) => {
    const of = s.items ?? s;
    if (of.$ref && !seen.has(of.$ref)) {
      seen.add(of.$ref);
      inner.push(el("h4", {}, of.$ref.split("/").pop()), ...fields(of, seen));
    }
    const needed = schema.required?.includes(name) ? "" : "optional; ";
    const bounds = [s.minimum !== undefined && `from ${s.minimum}`, s.maximum !== undefined && `to ${s.maximum}`, s.default !== undefined && `default ${s.default}`];
    return el("tr", {}, el("td", {}, el("code", {}, name)), el("td", {}, kind(s)), el("td", {}, [needed + (s.description ?? ""), ...bounds].filter(Boolean).join(" ")));
  });
  const table = el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Fields" }, el("table", { className: "small" },
    el("thead", {}, el("tr", {}, ["Field", "Type", "Meaning"].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows)));
  return [table, ...inner];
}

function example(method, path, body) {
  const auth = doc.security ? " \\\n  -H 'Authorization: Bearer TOKEN'" : "";
  const data = body ? " \\\n  -H 'Content-Type: application/json' -d '{…}'" : "";
  return `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${location.origin}${path}${auth}${data}`;
}

function operation(method, path, op) {
  const body = op.requestBody?.content?.["application/json"]?.schema;
  const good = Object.entries(op.responses).find(([code]) => code.startsWith("2"));
  const reply = good?.[1].content?.["application/json"]?.schema;
  const parameters = op.parameters ?? [];
  return el("section", { className: "card", id: op.operationId },
    el("h2", {}, op.summary),
    el("p", {}, el("code", {}, el("span", { className: "verb" }, method.toUpperCase()), ` ${path}`)),
    op.description ? el("p", {}, op.description) : null,
    el("pre", { tabIndex: 0 }, example(method, path, body)),
    parameters.length ? el("ul", {}, parameters.map((p) => el("li", {}, el("code", {}, p.name), ` in the ${p.in}: ${kind(p.schema)}${p.description ? `, ${p.description}` : ""}`))) : null,
    body ? el("details", {}, el("summary", {}, "Request"), ...fields(body)) : null,
    reply ? el("details", {}, el("summary", {}, `Reply (${good[0]})`), ...fields(reply)) : null);
}

run(async () => {
  doc = await api("GET", "/openapi.json");
  const all = Object.entries(doc.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, op]) => operation(method, path, op)));
  show(el("h1", {}, "API"), el("p", {}, `${doc.info.description} Version ${doc.info.version}.`),
    el("p", {}, "The description for programs: ", el("a", { href: "/openapi.json" }, "/openapi.json"), ` (OpenAPI ${doc.openapi}). Metrics for Prometheus: `, el("code", {}, "/metrics"), "; health: ", el("code", {}, "/healthz"), "."),
    ...all);
});
