import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseProxy, startProxy } from "../../chaos/proxy.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let server: Server;
let proxy: DatabaseProxy;
let heard: string;
const clients: Socket[] = [];
const BARRIER = "barrier";

// A server that answers each piece with the same in capitals.
beforeEach(async () => {
  heard = "";
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      if (String(chunk) !== BARRIER) heard += chunk;
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

// A round trip past the proxy: what the proxy would have let through has arrived by then.
async function settled() {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  clients.push(socket);
  for (let n = 0; n < 3; n++) {
    socket.write(BARRIER);
    await once(socket, "data");
  }
}

describe("the proxy", () => {
  it("passes everything on, both ways", async () => {
    const client = await open();
    client.socket.write("one");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("holds everything in a partition and delivers it when it heals", async () => {
    const client = await open();
    proxy.cut("hold");
    client.socket.write("one");
    await settled();
    expect([heard, client.read, client.closed]).toEqual(["", "", false]);
    proxy.heal("flow");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("lets what is asked through and holds the answers", async () => {
    const client = await open();
    proxy.cut("hold-replies");
    client.socket.write("one");
    await waitFor("the question", () => heard === "one");
    await settled();
    expect(client.read).toBe("");
    proxy.heal("flow");
    await waitFor("the answer", () => client.read === "ONE");
  });

  it("breaks connections and refuses new ones", async () => {
    const client = await open();
    proxy.cut("reset");
    await waitFor("the end", () => client.closed);
    const another = await open().catch(() => ({ closed: true }));
    await waitFor("the refusal", () => another.closed);
    proxy.heal("flow");
    const third = await open();
    third.socket.write("three");
    await waitFor("the answer", () => third.read === "THREE");
  });

  it("breaks what it held when it heals by reset", async () => {
    const client = await open();
    proxy.cut("hold");
    client.socket.write("one");
    await settled();
    proxy.heal("reset");
    await waitFor("the end", () => client.closed);
    expect(heard).toBe("");
  });

  it("holds new connections too, unless only those there are cut off", async () => {
    proxy.cut("hold");
    const held = await open();
    held.socket.write("one");
    await settled();
    expect(held.read).toBe("");
    proxy.heal("flow");
    proxy.cut("hold", () => true, false);
    const free = await open();
    free.socket.write("two");
    await waitFor("the answer", () => free.read === "TWO");
  });
});
