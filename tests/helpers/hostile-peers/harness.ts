import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "#scripts/lab/certificates.ts";
import type { TestAccount } from "../accounts.ts";
import { createDispatchHarness } from "../dispatch-harness.ts";
import { watchBlocks } from "../longest-block.ts";
import { startRawServer } from "../raw-server.ts";
import { inMs } from "../time.ts";
import { waitFor } from "../wait-for.ts";
import { startHostilePeers } from "./start.ts";

/**
 * The most processor time that the event loop of a dispatcher may take in one go beside a hostile peer, ms; with what the test
 * itself does on it.
 */
export const BLOCK_MAX_MS = 80;
const OTHERS = 20;
const OTHERS_EVERY_MS = 25;
const AHEAD_MS = 500;

export type HostileHarness = Awaited<ReturnType<typeof createHostileHarness>>;

/** A dispatcher on this thread, hostile peers on another one, and an account whose target is an ordinary one. */
export async function createHostileHarness(kinds: readonly string[]) {
  const authority = await createAuthority();
  const peers = await startHostilePeers(await authority.issue({}), kinds);
  const onRequest = (socket: { write(answer: string): void }) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const others = await startRawServer({ onRequest });
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-ca-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.ca);
  const allowed = [
    ...Object.values(peers.ports).map((port) => `https://localhost:${port}`),
    ...[peers.holding, others.port].map((port) => `http://127.0.0.1:${port}`),
  ];
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: allowed.join(), DELIVERY_CA_FILE: caFile });
  await harness.dispatcher();
  const other = await harness.account();
  const deliverOther = (at: Date) => harness.schedule(other, `http://127.0.0.1:${others.port}/`, at);

  return {
    ...harness,
    peers,
    /** Schedules a request of the other account. Returns its id. */
    deliverOther,
    /**
     * Sends one request of `account` to a peer, while requests of the other account go on. Returns the attempt once it has
     * ended and the others are delivered, and the longest block of the event loop.
     */
    async attempt(account: TestAccount, kind: string) {
      const before = others.requests.length;
      const instants = Array.from({ length: OTHERS }, (_, n) => inMs(AHEAD_MS + n * OTHERS_EVERY_MS));
      await Promise.all(instants.map(deliverOther));
      const id = await harness.schedule(account, `https://localhost:${peers.ports[kind]}/`, inMs(AHEAD_MS));
      const longestBlock = watchBlocks();
      const attempts = await waitFor("the attempt has ended", async () => {
        const rows = await harness.attempts(id);
        return rows.length > 0 && rows;
      });
      await waitFor("the others are delivered", () => others.requests.length === before + OTHERS);
      return { attempts, longestBlockMs: longestBlock() };
    },
    async close() {
      await harness.close();
      await Promise.all([peers.close(), others.close()]);
      await rm(folder, { recursive: true });
    },
  };
}
