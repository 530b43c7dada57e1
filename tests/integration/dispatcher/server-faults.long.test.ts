// Guards: dispatcher/recording/**, dispatcher/claiming/**, db/client*.ts
// Final: its verdict is about what was kept, and how often it was sent.
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { type FaultHarness, startFaultHarness } from "../../helpers/fault-harness.ts";
import { type OwnServer, startOwnServer, startStandby } from "../../helpers/own-server.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { watchUncaught } from "../../helpers/watch-uncaught.ts";

let receiver: Receiver;
let server: OwnServer;
let faults: FaultHarness;
let standby: Awaited<ReturnType<typeof startStandby>> | undefined;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.requests.length = 0;
  server = await startOwnServer();
});
afterEach(async () => {
  await faults.close();
  await standby?.remove();
  standby = undefined;
  await server.remove();
});

describe("a database server that is", () => {
  it("shut down at once, repeatedly under load, loses nothing that was acknowledged, and nothing is sent twice", async () => {
    faults = await startFaultHarness(server.url, receiver);
    const acknowledged = await faults.creatingDuring(async () => {
      for (let n = 0; n < 4; n++) {
        await server.crash();
        await pause(n * 500);
        await server.start();
        await pause(1_500);
      }
    });
    await faults.expectNothingLost(acknowledged);
  });

  it("restarted by a fast shutdown loses nothing either, and the ended sessions are opened again", async () => {
    faults = await startFaultHarness(server.url, receiver);
    const acknowledged = await faults.creatingDuring(async () => {
      for (let n = 0; n < 4; n++) {
        await server.stop();
        await server.start();
        await pause(1_500);
      }
    });
    await faults.expectNothingLost(acknowledged);
  });

  it("started again as a standby, which takes no writes and has no unlogged tables until it is promoted, loses nothing either", async () => {
    const uncaught = watchUncaught();
    faults = await startFaultHarness(server.url, receiver);
    const acknowledged = await faults.creatingDuring(async () => {
      await server.restartAsStandby();
      await pause(4_000);
      await promote(server.url);
      await pause(1_500);
    });
    await faults.expectNothingLost(acknowledged);
    expect(uncaught).toEqual([]);
  });
});

describe("a primary that dies", () => {
  it("is replaced by its standby: nothing acknowledged is lost, nothing is sent twice, and work resumes within 15 s", async () => {
    standby = await startStandby(server);
    const hosts = [server.url, standby.url].map((url) => new URL(url).host);
    const { username, password, pathname } = new URL(server.url);
    const both = `postgres://${username}:${password}@${hosts.join()}${pathname}?target_session_attrs=read-write`;
    faults = await startFaultHarness(both, receiver);
    await faults.sql`ALTER SYSTEM SET synchronous_standby_names = '*'`;
    await faults.sql`SELECT pg_reload_conf()`;
    await waitFor("the standby confirms each commit", async () => {
      const [row] = await faults.sql`SELECT sync_state FROM pg_stat_replication`;
      return row?.sync_state === "sync";
    });
    const { url } = standby;
    const acknowledged = await faults.creatingDuring(async () => {
      await pause(2_000);
      await server.crash();
      await pause(2_000);
      await promote(url);
      await pause(4_000);
    });
    await faults.expectNothingLost(acknowledged);
  });
});

async function promote(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`SELECT pg_promote()`;
  await sql.end();
}
