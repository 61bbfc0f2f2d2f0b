// Shows the document at /openapi.json. Everything is put on the page as text.
"use strict";

const METHODS = ["get", "post", "delete"];

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function resolve(whole, part) {
  if (!part || !part.$ref) return part;
  return part.$ref.replace("#/", "").split("/").reduce((at, name) => at[name], whole);
}

function kindOf(schema) {
  if (!schema || typeof schema !== "object") return "anything";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const several = schema.anyOf || schema.oneOf;
  if (several) return several.map(kindOf).join(" | ");
  const kinds = [].concat(schema.type || "anything");
  return kinds.map((kind) => (kind === "array" ? `list of ${kindOf(schema.items)}` : kind)).join(" | ");
}

function row(name, schema, required) {
  return element("tr", {},
    element("td", {}, element("code", {}, name)),
    element("td", {}, kindOf(schema) + (required ? ", required" : "")),
    element("td", {}, (schema && schema.description) || ""));
}

// Fields of an object, and of the objects in it, by their places.
function rows(schema, place, depth) {
  const required = (schema && schema.required) || [];
  return Object.entries((schema && schema.properties) || {}).flatMap(([name, field]) => {
    const inner = field.properties ? field : field.items && field.items.properties ? field.items : null;
    const here = place + name;
    const below = inner && depth < 3 ? rows(inner, here + (inner === field ? "." : "[]."), depth + 1) : [];
    return [row(here, field, required.includes(name)), ...below];
  });
}

function table(heading, list) {
  if (list.length === 0) return [];
  return [element("h3", {}, heading), element("table", {}, element("tbody", {}, ...list))];
}

function inside(whole, operation) {
  const parameters = (operation.parameters || []).map((one) => resolve(whole, one));
  const given = parameters.map((one) => row(`${one.name} (${one.in})`,
    { ...one.schema, description: one.description || one.schema.description }, one.required));
  const body = operation.requestBody && operation.requestBody.content["application/json"].schema;
  const reply = operation.responses["200"].content["application/json"].schema;
  return element("div", { class: "inside" },
    element("p", {}, "Needs a key that may ", element("code", {}, operation["x-scope"]), ". Named ",
      element("code", {}, operation.operationId), " at every door."),
    ...table("Where and how", given), ...table("Asks", rows(body, "", 0)), ...table("Answers", rows(reply, "", 0)));
}

function shown(whole, path, method, operation) {
  const details = element("details", { id: operation.operationId },
    element("summary", {},
      element("span", { class: `method ${method}` }, method.toUpperCase()),
      element("span", { class: "path" }, path),
      element("span", { class: "said" }, operation.summary)));
  // Only what is opened is drawn: all of it at once is long.
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(inside(whole, operation));
  });
  details.dataset.words = [path, method, operation.operationId, operation.summary, operation["x-scope"]].join(" ").toLowerCase();
  return details;
}

function draw(whole) {
  document.getElementById("about").textContent = `${whole.info.description} Version ${whole.info.version}.`;
  const groups = new Map();
  for (const [path, methods] of Object.entries(whole.paths)) {
    for (const method of METHODS.filter((one) => methods[one])) {
      const tag = methods[method].tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(shown(whole, path, method, methods[method]));
    }
  }
  const main = document.getElementById("operations");
  for (const [tag, list] of [...groups].sort()) {
    main.append(element("section", {}, element("h2", {}, tag), ...list));
  }
  const named = location.hash && document.getElementById(location.hash.slice(1));
  if (named) { named.open = true; named.scrollIntoView(); }
}

function find(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of document.querySelectorAll("section")) {
    let any = false;
    for (const one of section.querySelectorAll("details")) {
      one.hidden = !wanted.every((word) => one.dataset.words.includes(word));
      any = any || !one.hidden;
    }
    section.hidden = !any;
  }
}

document.getElementById("find").addEventListener("input", (event) => find(event.target.value));
fetch("/openapi.json").then((answer) => answer.json()).then(draw).catch(() => {
  document.getElementById("about").textContent = "The document cannot be loaded: is the daemon still running?";
});
