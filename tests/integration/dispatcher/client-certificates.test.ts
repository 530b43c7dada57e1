import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecureVersion } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAuthority } from "#scripts/lab/certificates.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** By TLS 1.3 the target refuses after the handshake, on the first read; by TLS 1.2 within it. */
const TEXTS: Partial<Record<SecureVersion, string>> = {
  "TLSv1.3": "the target demands a client certificate",
  "TLSv1.2": "connection: ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
};
const servers: RawServer[] = [];
let harness: DispatchHarness;
let folder: string;

beforeAll(async () => {
  const authority = await createAuthority();
  for (const version of Object.keys(TEXTS) as SecureVersion[]) {
    const asks = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
    const tls = { ...(await authority.issue({})), ca: authority.ca, ...asks };
    const onRequest = (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    servers.push(await startRawServer({ onRequest }, { tls }));
  }
  folder = await mkdtemp(join(tmpdir(), "stopwatch-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.ca);
  const targets = servers.map(({ port }) => `localhost:${port}`);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: targets.join(), DELIVERY_CA_FILE: caFile });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

it.each([100, 1_500])(
  "a target that demands a client certificate is named as that, created %i ms ahead",
  async (aheadMs) => {
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    for (const [n, { port }] of servers.entries()) {
      const id = await harness.schedule(account, `https://localhost:${port}/`, new Date(Date.now() + aheadMs));
      await waitFor("it is dead", async () => (await harness.read(id)).status === "dead");
      expect(await harness.attempts(id)).toMatchObject([
        { outcome: "unreachable", status_code: null, error_text: Object.values(TEXTS)[n] },
      ]);
    }
    expect(servers.flatMap(({ requests }) => requests)).toEqual([]);
  },
);
