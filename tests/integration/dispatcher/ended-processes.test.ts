// Final: its verdict is about what was sent.
import { once } from "node:events";
import { expect, it } from "vitest";
import { placeOfProcesses } from "#dispatcher/runtime/process-name.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});

it.skipIf(placeOfProcesses() === null)(
  "an attempt whose process was killed is repeated by the next one on the machine long before its lease ends, and the second time in a row at its end",
  async () => {
    const account = await harness.account();
    receiver.respond(() => {});
    const id = await harness.schedule(account, `${receiver.origin}/`, null);
    /** Starts a dispatcher, kills it when it has sent the request, and lets the lease of its claim last an hour. */
    const sendAndDie = async (requests: number) => {
      const child = harness.spawn();
      await waitFor("the request is under way", () => receiver.requests.length === requests);
      await harness.sql`UPDATE schedules SET claim_deadline = claim_deadline + interval '1 hour' WHERE id = ${id}`;
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    await sendAndDie(1);
    await sendAndDie(2);
    expect(await harness.attempts(id)).toMatchObject([{ outcome: "interrupted", attempt: 1 }]);

    harness.spawn();
    await waitFor("it owns every shard", async () => {
      const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM shards s JOIN dispatchers d ON d.id = s.owner WHERE d.ended_at IS NULL`;
      return row?.n === 64;
    });
    expect(await harness.read(id)).toMatchObject({ status: "firing", interruptions: 1 });
    receiver.respond((_request, response) => response.end("ok"));
    await harness.sql`UPDATE schedules SET claim_deadline = now() WHERE id = ${id}`;
    await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
    expect(receiver.requests).toHaveLength(3);
  },
);
