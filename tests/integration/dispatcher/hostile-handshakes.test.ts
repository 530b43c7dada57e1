import { once } from "node:events";
import type { TLSSocket, TlsOptions } from "node:tls";
import { afterEach, beforeAll, expect, it } from "vitest";
import { Dialer, type OpenResult } from "#dispatcher/connections/dialer.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { createTestAuthority, type TestAuthority } from "../../helpers/test-certificates.ts";

let authority: TestAuthority;
let server: RawServer;
let accepted: TLSSocket | undefined;
let opened: OpenResult | undefined;

beforeAll(async () => {
  authority = await createTestAuthority();
});
afterEach(async () => {
  if (opened?.kind === "open") opened.connection.destroy();
  await server.close();
});

async function openTo(tls: TlsOptions, certificate = {}) {
  const onConnect = (socket: unknown) => {
    accepted = socket as TLSSocket;
  };
  server = await startRawServer({ onConnect }, { tls: { ...(await authority.issue(certificate)), ...tls } });
  const origin = `https://localhost:${server.port}`;
  const policy = parseTargetPolicy(`localhost:${server.port}`, "");
  opened = await new Dialer({ policy, ca: authority.ca, monotonic: monotonicNow }).open(origin);
  return opened;
}

it.each<[string, TlsOptions]>([
  ["by TLS 1.2", { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" }],
  ["by TLS 1.3", { minVersion: "TLSv1.3", ecdhCurve: "ffdhe2048" }],
])("a target that asks for Diffie-Hellman over a field of its choice is computed nothing for, %s", async (_, tls) => {
  expect(await openTo(tls, { isRsa: true })).toEqual({
    kind: "unreachable",
    error: "connection: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  });
  expect(server.opened()).toBe(0);
});

it.each<[string, TlsOptions, object?]>([
  ["TLS 1.2", { maxVersion: "TLSv1.2" }],
  ["TLS 1.3", { minVersion: "TLSv1.3" }],
  ["P-521 alone", { ecdhCurve: "P-521" }],
  ["an RSA key exchange", { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" }, { isRsa: true }],
])("a target that speaks %s is connected to", async (_, tls, certificate) => {
  expect(await openTo(tls, certificate)).toMatchObject({ kind: "open" });
});

it("a target gets no second handshake on an open connection", async () => {
  expect(await openTo({ maxVersion: "TLSv1.2" })).toMatchObject({ kind: "open" });
  const socket = accepted as TLSSocket;
  const failed = once(socket, "error");
  socket.renegotiate({ rejectUnauthorized: false }, () => {});
  expect((await failed)[0]).toMatchObject({ code: "ERR_SSL_NO_RENEGOTIATION" });
});
