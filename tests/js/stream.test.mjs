import assert from "node:assert/strict";
import { test } from "node:test";
import { Stream } from "../../static/js/corrector/stream.js";

/** A socket as the browser has it, with the server's end in hand. */
class Socket {
  constructor() {
    this.sent = [];
    this.onopen = this.onmessage = this.onclose = () => {};
  }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.onclose(); }
  say(message) { this.onmessage({ data: JSON.stringify(message) }); }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

function stream(more = {}) {
  const sockets = [];
  const made = new Stream("ws://here/ws/stream", {
    ticket: async () => "ticket", poll: async () => undefined,
    socket: () => { const socket = new Socket(); sockets.push(socket); return socket; }, ...more,
  });
  return { made, sockets };
}

test("the first frame is the ticket, the second asks for what the page has not", async () => {
  const { made, sockets } = stream();
  made.watch({ generation: "g", have: () => 7 });
  await turn();
  sockets[0].onopen();
  assert.deepEqual(sockets[0].sent, [{ type: "auth", ticket: "ticket" }, { type: "watch", generation: "g", after: 7 }]);
  made.close();
});

test("after a drop the stream goes on from the ids received", async () => {
  const { made, sockets } = stream();
  let have = 0;
  const got = [];
  made.addEventListener("tokens", (event) => { have = event.detail.seq; got.push(...event.detail.rows); });
  made.watch({ generation: "g", have: () => have });
  await turn();
  sockets[0].onopen();
  sockets[0].say({ type: "tokens", generation: "g", seq: 137, start: 0, rows: ["first"] });
  sockets[0].onclose({ code: 1012 });
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(sockets.length, 2);
  sockets[1].onopen();
  assert.deepEqual(sockets[1].sent.at(-1), { type: "watch", generation: "g", after: 137 });
  assert.deepEqual(got, ["first"]);
  made.close();
});

test("messages of another generation are dropped", async () => {
  const { made, sockets } = stream();
  let got = 0;
  made.addEventListener("tokens", () => (got += 1));
  made.watch({ generation: "new", have: () => 0 });
  await turn();
  sockets[0].onopen();
  sockets[0].say({ type: "tokens", generation: "old", seq: 1, start: 0, rows: [1] });
  assert.equal(got, 0);
  made.close();
});

test("one tab opens one socket, whatever it watches", async () => {
  const { made, sockets } = stream();
  for (let i = 0; i < 30; i += 1) made.watch({ generation: `g${i}`, have: () => 0 });
  await turn();
  sockets[0].onopen();
  for (let i = 30; i < 60; i += 1) made.watch({ generation: `g${i}`, have: () => 0 });
  assert.equal(sockets.length, 1);
  assert.equal(sockets[0].sent.filter((one) => one.type === "unwatch").length, 30);
  made.close();
});

test("where no socket opens the page polls", async () => {
  let polls = 0;
  const { made } = stream({ socket: () => { throw new Error("blocked"); }, poll: async () => void (polls += 1) });
  made.failures = 2;
  made.watch({ generation: "g", have: () => 0 });
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.ok(polls >= 1);
  made.close();
});
