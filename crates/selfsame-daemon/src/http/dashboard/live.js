// Follows what happens to an agent: by WebSocket, or by asking again and again where there is none.
import { query } from "./api.js";

const PAUSES = [500, 1000, 2000, 5000, 10000];

// `on.event(event)`, `on.resync()` when something may have been missed, `on.state("live" | "asking" | "away")`. Gives what ends it.
export function follow(api, on) {
  let stopped = false, socket, timer, tries = 0, after;
  const later = (work, wait) => { timer = setTimeout(() => { if (!stopped) work(); }, wait); };

  function took(event) {
    if (event.seq <= after) return;
    after = event.seq;
    on.event(event);
  }

  async function begin() {
    try {
      after = (await api.get("events", { limit: 1 })).head;
      connect();
    } catch { away(begin); }
  }

  function away(again) {
    on.state("away");
    later(again, PAUSES[Math.min(tries++, PAUSES.length - 1)]);
  }

  function connect() {
    let opened = false;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    try { socket = new WebSocket(`${scheme}//${location.host}${api.address("events")}${query({ after })}`); } catch { return later(look, 0); }
    socket.onopen = () => { opened = true; tries = 0; on.state("live"); };
    socket.onmessage = (message) => {
      const said = JSON.parse(message.data);
      if (said.type === "event") took(said);
      else if (said.type === "resync") { after = said.after ?? after; on.resync(); }
    };
    socket.onclose = () => {
      if (stopped) return;
      // A door that never opened may be one that has no sockets: then it is asked.
      if (opened) away(connect); else look();
    };
  }

  let sinceSocket = 0;
  async function look() {
    try {
      const said = await api.get("events", { after, limit: 200 });
      tries = 0;
      on.state("asking");
      said.events.forEach(took);
      if (++sinceSocket % 30 === 0) return connect();
      later(look, 1000);
    } catch { away(look); }
  }

  begin();
  return () => { stopped = true; clearTimeout(timer); socket?.close(); };
}
