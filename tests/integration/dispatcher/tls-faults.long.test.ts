// Guards: dispatcher/admission/**, dispatcher/connections/**

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { drip, type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TITLES = {
  "never shakes hands": "connection: timed out after 10 s",
  "shakes hands a byte a second": "connection: timed out after 10 s",
  "speaks plain HTTP": /^connection: (ERR_SSL_[A-Z_]+|EPROTO)$/,
  "closes during the handshake": /^connection: (ECONNRESET|failed)$/,
  "shows an expired certificate": "connection: CERT_HAS_EXPIRED",
  "shows a self-signed certificate": "connection: DEPTH_ZERO_SELF_SIGNED_CERT",
  "shows a certificate for another name": "connection: ERR_TLS_CERT_ALTNAME_INVALID",
  "speaks TLS 1.0 only": /^connection: ERR_SSL_[A-Z0-9_]+$/,
  "sends a chain of 160 KB": /^connection: ERR_SSL_[A-Z_]+$/,
};

let harness: DispatchHarness;
let folder: string;
let healthy: RawServer;
const servers = new Map<string, RawServer>();
const ids = new Map<string, string>();

beforeAll(async () => {
  const authority = await createAuthority();
  const valid = await authority.issue({});
  const answers = { onRequest: (socket: { write(text: string): void }) => socket.write(OK) };
  const start = async (title: keyof typeof TITLES, server: ReturnType<typeof startRawServer>) => {
    servers.set(title, await server);
  };
  await start("never shakes hands", startRawServer({ onConnect: (socket) => socket.resume() }));
  await start(
    "shakes hands a byte a second",
    startRawServer({
      onConnect: (socket) =>
        drip(socket.resume(), 1_000, () => SERVER_HELLO.subarray(socket.bytesWritten).subarray(0, 1)),
    }),
  );
  await start(
    "speaks plain HTTP",
    startRawServer({ onConnect: (socket) => socket.resume().write("HTTP/1.1 400 Bad Request\r\n\r\n") }),
  );
  await start("closes during the handshake", startRawServer({ onConnect: (socket) => socket.resume().end() }));
  await start(
    "shows an expired certificate",
    startRawServer(answers, { tls: await authority.issue({ daysLeft: -1 }) }),
  );
  await start(
    "shows a self-signed certificate",
    startRawServer(answers, { tls: await authority.issue({ selfSigned: true }) }),
  );
  await start(
    "shows a certificate for another name",
    startRawServer(answers, { tls: await authority.issue({ name: "example.com" }) }),
  );
  await start(
    "speaks TLS 1.0 only",
    startRawServer(answers, {
      tls: { ...valid, minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" },
    }),
  );
  const long = Math.ceil((160 * 1_024) / Buffer.from(authority.ca, "base64").length);
  await start(
    "sends a chain of 160 KB",
    startRawServer(answers, { tls: { ...valid, cert: [valid.cert, ...Array(long).fill(authority.ca)].join("\n") } }),
  );
  healthy = await startRawServer(answers, { tls: valid });

  folder = await mkdtemp(join(tmpdir(), "stopwatch-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.ca);
  harness = await createDispatchHarness({
    DELIVERY_ALLOW: [healthy, ...servers.values()].map(({ port }) => `localhost:${port}`).join(),
    DELIVERY_CA_FILE: caFile,
  });
  await harness.dispatcher();
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  const fireAt = new Date(Date.now() + 1_000);
  for (const [title, { port }] of servers) {
    ids.set(title, await harness.schedule(account, `https://localhost:${port}/`, fireAt, { payload: "x" }));
  }
});
afterAll(async () => {
  await harness.close();
  await Promise.all([healthy, ...servers.values()].map((server) => server.close()));
  await rm(folder, { recursive: true });
});

describe("a target that", () => {
  it("completes the handshake is delivered to on time meanwhile", async () => {
    const id = await harness.schedule(
      await harness.account(),
      `https://localhost:${healthy.port}/`,
      new Date(Date.now() + 500),
    );
    await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
    expectOnTime(Number((await harness.read(id)).offset_ms), CONNECT_DEADLINE_MS / 2);
  });

  it.each(Object.entries(TITLES))("%s gets no request, and the attempt fails with the code", async (title, text) => {
    const id = ids.get(title) as string;
    await waitFor("it is dead", async () => (await harness.read(id)).status === "dead", 25_000);
    const attempts = await harness.attempts(id);
    expect(attempts).toMatchObject([{ outcome: "unreachable", status_code: null, latency_ms: 0 }]);
    expect(attempts[0]?.error_text).toMatch(text);
    expect(servers.get(title)?.requests).toEqual([]);
    await waitFor("its connections are closed", () => servers.get(title)?.connections() === 0);
  });
});

/** The head of a TLS 1.2 ServerHello record of 16 KB that is never completed. */
const SERVER_HELLO = Buffer.concat([Buffer.from("1603034000020000560303", "hex"), Buffer.alloc(64, 7)]);
