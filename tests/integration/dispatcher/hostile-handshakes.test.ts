import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { SecureVersion, TLSSocket, TlsOptions } from "node:tls";
import { afterEach, beforeAll, expect, it } from "vitest";
import { Dialer, type OpenResult } from "#dispatcher/connections/dialer.ts";
import { monotonicNow } from "#dispatcher/runtime/ticker.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { type Authority, createAuthority } from "#scripts/lab/certificates.ts";
import {
  type ChainExtras,
  certificateChain,
  cheapPair,
  keyPemOf,
  type Pair,
  pemOf,
} from "../../helpers/certificate-chain.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";

let authority: Authority;
let server: RawServer;
let behind: RawServer | undefined;
let accepted: TLSSocket | undefined;
let opened: OpenResult | undefined;

beforeAll(async () => {
  authority = await createAuthority();
});
afterEach(async () => {
  if (opened?.kind === "open") opened.connection.destroy();
  await server.close();
  await behind?.close();
  behind = undefined;
});

async function open() {
  const origin = `https://localhost:${server.port}`;
  const policy = parseTargetPolicy(`localhost:${server.port}`, "");
  opened = await new Dialer({ policy, ca: authority.ca, monotonic: monotonicNow }).open(origin);
  return opened;
}

async function openTo(tls: TlsOptions, certificate = {}) {
  const onConnect = (socket: unknown) => {
    accepted = socket as TLSSocket;
  };
  server = await startRawServer({ onConnect }, { tls: { ...(await authority.issue(certificate)), ...tls } });
  return open();
}

/** Opens a connection to a server with so many certificates of authorities that have this key. */
async function openToChain(version: SecureVersion, pair: Pair, count: number, extras?: ChainExtras) {
  const leaf = cheapPair();
  const cert = pemOf(certificateChain(leaf, pair, count, extras));
  server = await startRawServer({}, { tls: { cert, key: keyPemOf(leaf), ...only(version) } });
  return open();
}

const only = (version: SecureVersion) => ({ minVersion: version, maxVersion: version });
const VERSIONS: SecureVersion[] = ["TLSv1.2", "TLSv1.3"];

/** Passes the bytes of two sockets on to each other, in pieces of 16 to the first. */
function passOn(to: Socket, from: Socket) {
  to.setNoDelay(true).pipe(from);
  from.on("data", (chunk) => {
    for (let at = 0; at < chunk.length; at += 16) to.write(chunk.subarray(at, at + 16));
  });
  for (const [one, other] of [
    [to, from],
    [from, to],
  ] as const)
    one.on("close", () => other.destroy()).on("error", () => {});
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
  ["AES-128-GCM", { ciphers: "TLS_AES_128_GCM_SHA256" }],
  ["AES-256-GCM", { ciphers: "TLS_AES_256_GCM_SHA384" }],
  ["ChaCha20-Poly1305", { ciphers: "TLS_CHACHA20_POLY1305_SHA256" }],
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

it.each(VERSIONS)("a target whose bytes arrive in small pieces is connected to, by %s", async (version) => {
  behind = await startRawServer({}, { tls: { ...(await authority.issue({})), ...only(version) } });
  const { port } = behind;
  server = await startRawServer({ onConnect: (socket) => passOn(socket, connect(port, "127.0.0.1")) });
  expect(await open()).toMatchObject({ kind: "open" });
});

it.each(VERSIONS)("certificates that take long to verify are not verified, by %s", async (version) => {
  expect(await openToChain(version, generateKeyPairSync("ec", { namedCurve: "sect571r1" }), 2)).toEqual({
    kind: "unreachable",
    error: "connection: the target's certificates take too long to verify",
  });
});

it.each(VERSIONS)("ten large certificates are verified, by %s", async (version) => {
  const names = Array.from({ length: 100 }, (_, n) => `host-${n}.example.com`);
  expect(await openToChain(version, cheapPair(), 9, { leaf: { names }, each: { names } })).toEqual({
    kind: "unreachable",
    error: "connection: UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  });
});
