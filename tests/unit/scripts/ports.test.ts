import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { freePort } from "#scripts/ports.ts";

it("a free port is one that no system gives to another program before it is used", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(1_024);
    expect(port).toBeLessThan(32_768);
  }
});

it("a wanted port is taken if nobody listens there, and another one otherwise", async () => {
  const wanted = await freePort();
  expect(await freePort(wanted)).toBe(wanted);
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const port = await freePort((server.address() as AddressInfo).port);
  server.close();
  expect(port).not.toBe(wanted);
});
