import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let server: Server;
let proxy: DatabaseProxy;
let received: string;
const clients: Socket[] = [];
const BARRIER = "barrier";

// This server answers each chunk with the same text in capitals.
beforeEach(async () => {
  received = "";
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (String(chunk) !== BARRIER) received += chunk;
      socket.write(String(chunk).toUpperCase());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy = await startProxy((server.address() as AddressInfo).port);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  server.close();
});

async function open() {
  const socket = connect({ port: proxy.port, host: "127.0.0.1" });
  clients.push(socket);
  const client = { socket, read: "", closed: false };
  socket.on("data", (chunk) => {
    client.read += chunk;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    client.closed = true;
  });
  await once(socket, "connect");
  return client;
}

// A round trip past the proxy. Whatever the proxy would have let through has arrived once it is over.
async function settled() {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  clients.push(socket);
  for (let n = 0; n < 3; n++) {
    socket.write(BARRIER);
    await once(socket, "data");
  }
}

describe("the proxy", () => {
  it("forwards bytes in both directions", async () => {
    const client = await open();
    client.socket.write("one");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("holds all bytes during a partition and delivers them when the partition ends", async () => {
    const client = await open();
    proxy.set("hold");
    client.socket.write("one");
    await settled();
    expect([received, client.read, client.closed]).toEqual(["", "", false]);
    proxy.set("pass");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("forwards requests and holds the answers when asked to", async () => {
    const client = await open();
    proxy.set("hold-replies");
    client.socket.write("one");
    await waitFor("the question", () => received === "one");
    await settled();
    expect(client.read).toBe("");
    proxy.set("pass");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("loses what comes in a black hole, whose connections stay silent until it heals", async () => {
    const client = await open();
    proxy.set("black hole");
    client.socket.write("one");
    await settled();
    proxy.set("pass");
    client.socket.write("two");
    await settled();
    expect([received, client.read, client.closed]).toEqual(["", "", false]);
    proxy.heal();
    await waitFor("the end", () => client.closed);
  });

  it("sends new connections where it is aimed", async () => {
    const other = createServer((socket) => socket.end("other")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const before = await open();
    proxy.aim((other.address() as AddressInfo).port);
    const after = await open();
    await waitFor("the other server", () => after.read === "other");
    before.socket.write("one");
    await waitFor("the answer", () => before.read === "ONE");
    other.close();
  });

  it("resets connections and refuses new ones when asked to", async () => {
    const client = await open();
    proxy.set("reset");
    await waitFor("the end", () => client.closed);
    const another = await open().catch(() => ({ closed: true }));
    await waitFor("the refusal", () => another.closed);
    proxy.set("pass");
    const third = await open();
    third.socket.write("three");
    await waitFor("the answer", () => third.read === "THREE");
  });

  it("resets the connections that it held when a partition ends by reset", async () => {
    const client = await open();
    proxy.set("hold");
    client.socket.write("one");
    await settled();
    proxy.heal();
    await waitFor("the end", () => client.closed);
    expect(received).toBe("");
  });

  it("holds new connections too, unless only the existing ones are cut off", async () => {
    proxy.set("hold");
    const held = await open();
    held.socket.write("one");
    await settled();
    expect(held.read).toBe("");
    proxy.set("pass");
    proxy.set("hold", () => true, false);
    const free = await open();
    free.socket.write("two");
    await waitFor("the answer", () => free.read === "TWO");
  });
});
