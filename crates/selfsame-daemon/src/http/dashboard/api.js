// Talks to the daemon. A cookie says who we are; the header says that it is our own page that asks.

export class Problem extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

const listeners = new Set();
// Called when the visit is over: the daemon stopped, or somebody closed it.
export const onLeft = (listener) => listeners.add(listener);

function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function send(method, path, body, signal) {
  const headers = { "X-Selfsame-Page": "1" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = key();
  }
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", "The daemon does not answer. Is `selfsame serve` still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  if (answer.status === 401 && !path.startsWith("/dashboard/")) listeners.forEach((listener) => listener());
  throw new Problem(answer.status, said.code || "unknown", said.detail || `The daemon answered ${answer.status}.`);
}

// Names and values as a query; what is not set is left out.
export function query(fields) {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  return pairs.length === 0 ? "" : "?" + pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

export const get = (path, fields = {}, signal) => send("GET", path + query(fields), undefined, signal);
export const post = (path, body = {}, signal) => send("POST", path, body, signal);
export const remove = (path) => send("DELETE", path);

// The addresses of one agent.
export function of(agent) {
  const base = `/v1/agents/${encodeURIComponent(agent)}`;
  const place = (parts) => [base, ...parts.map((part) => String(part).split("/").map(encodeURIComponent).join("/"))].join("/");
  return {
    name: agent,
    get: (path, fields, signal) => get(place([].concat(path)), fields, signal),
    post: (path, body, signal) => post(place([].concat(path)), body, signal),
    card: (signal) => get(base, {}, signal),
    address: (path) => place([].concat(path)),
  };
}
