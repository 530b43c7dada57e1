import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { recordSocketAddresses, SOCKET_ADDRESS_HEADER } from "#server/edge/socket-address.ts";

it("a route gets the address of its socket, and not one that the caller writes into a header", async () => {
  recordSocketAddresses();
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await fetch(url);
  await fetch(url, { headers: { [SOCKET_ADDRESS_HEADER]: "203.0.113.7", "x-forwarded-for": "203.0.113.8" } });
  await new Promise((resolve) => server.close(resolve));
  expect(seen.map((headers) => headers[SOCKET_ADDRESS_HEADER])).toEqual(["127.0.0.1", "127.0.0.1"]);
  expect(seen[1]?.["x-forwarded-for"]).toBe("203.0.113.8");
});
