import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import {
  readSocketAddress,
  recordSocketAddresses,
  SOCKET_ADDRESS_HEADER,
  socketAddressValue,
} from "#server/http/socket-address.ts";

const read = (headers: Record<string, string>) => readSocketAddress(new Headers(headers));

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
  expect(seen.map((headers) => read(headers as Record<string, string>))).toEqual(["127.0.0.1", "127.0.0.1"]);
  expect(seen[1]?.["x-forwarded-for"]).toBe("203.0.113.8");
});

it("an address without the secret of the process is not believed where nothing overwrites the header", () => {
  const [secret = ""] = socketAddressValue("127.0.0.1").split(" ");
  const forged = `${secret.startsWith("A") ? "B" : "A"}${secret.slice(1)}`;
  for (const value of ["203.0.113.7", " 203.0.113.7", "", `${forged} 203.0.113.7`, secret.slice(0, -1)]) {
    expect(read({ [SOCKET_ADDRESS_HEADER]: value })).toBeNull();
  }
  expect(read({})).toBeNull();
  expect(read({ [SOCKET_ADDRESS_HEADER]: socketAddressValue("203.0.113.7") })).toBe("203.0.113.7");
  expect(read({ [SOCKET_ADDRESS_HEADER]: socketAddressValue("") })).toBe("");
});
