// The API's page, drawn from its own description.

import { api, el, run, show } from "./common.js";

let doc;

// kind is a schema's type in few words; one that has a name is a link to it.
function kind(schema) {
  if (schema.$ref) return [typeLink(schema.$ref)];
  if (schema.oneOf) return schema.oneOf.flatMap((s, i) => [i ? " or " : "", ...kind(s)]);
  if (schema.enum) return [schema.enum.map((v) => JSON.stringify(v)).join(" | ")];
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
    const bounds = [s.minimum !== undefined && `at least ${s.minimum}`, s.maximum !== undefined && `at most ${s.maximum}`, s.default !== undefined && `default ${s.default}`];
    return el("tr", {}, el("td", {}, el("code", {}, field)), el("td", {}, kind(s)), el("td", {}, [optional, s.description, ...bounds].filter(Boolean).join("; ")));
  });
  return el("section", { className: "card", id: `type-${name}` }, el("h3", {}, name),
    schema.description ? el("p", {}, schema.description) : null,
    el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Fields of ${name}` }, el("table", { className: "small" },
      el("thead", {}, el("tr", {}, ["Field", "Type", "Meaning"].map((t) => el("th", { scope: "col" }, t)))), el("tbody", {}, rows))));
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
    el("h3", {}, op.summary),
    el("p", {}, el("code", {}, el("span", { className: "verb" }, method.toUpperCase()), ` ${path}`)),
    op.description ? el("p", {}, op.description) : null,
    el("pre", { tabIndex: 0 }, example(method, path, body)),
    parameters.length ? el("ul", {}, parameters.map((p) => el("li", {}, el("code", {}, p.name), ` in the ${p.in}: `, kind(p.schema), p.description ? `, ${p.description}` : ""))) : null,
    body ? el("p", {}, "Request: ", kind(body)) : null,
    reply ? el("p", {}, `Reply (${good[0]}): `, kind(reply)) : null);
}

run(async () => {
  doc = await api("GET", "/openapi.json");
  const all = Object.entries(doc.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, op]) => operation(method, path, op)));
  show(el("h1", {}, "API"), el("p", {}, `${doc.info.description} Version ${doc.info.version}.`),
    el("p", {}, "The description for programs: ", el("a", { href: "/openapi.json" }, "/openapi.json"), ` (OpenAPI ${doc.openapi}). Metrics for Prometheus: `, el("code", {}, "/metrics"), "; health: ", el("code", {}, "/healthz"), "."),
    el("h2", {}, "Operations"), ...all, el("h2", {}, "Types"), ...Object.entries(doc.components.schemas).map(type));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
