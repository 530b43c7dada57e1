// Final: its verdict is about what was sent, and how often.
import { once } from "node:events";
import { expect, it } from "vitest";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startDeliveryHarness } from "../../helpers/with-dispatch-harness.ts";

it.each(["SIGINT", "SIGHUP", "SIGQUIT"] as const)(
  "a dispatcher stops in order at %s, and what is on the wire is recorded and not sent again",
  async (signal) => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const account = await harness.account();
    const child = await harness.process();
    const answers: (() => void)[] = [];
    receiver.respond((_request, response) => answers.push(() => response.end("ok")));
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(300));
    await waitFor("it is on the wire", () => answers.length === 1);

    const exited = once(child, "exit");
    child.kill(signal);
    await waitFor("its shards are handed over", async () => {
      const [row] = await harness.sql`SELECT count(owner)::int AS owned FROM shards`;
      return row?.owned === 0;
    });
    answers[0]?.();
    expect(await exited).toEqual([0, null]);
    expect(await harness.read(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(receiver.requests).toHaveLength(1);
  },
);
