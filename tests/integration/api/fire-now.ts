import { updateScheduled } from "#db/queries/schedules/reschedule.ts";
import { NOW } from "#domain/fire-time.ts";
import { decodeId } from "#domain/ids.ts";
import type { Api, TestCaller } from "./api.ts";

/** A live schedule that is due by its own creation: the id of a replay without an instant. */
export async function replayNow(api: Api, caller: TestCaller): Promise<string> {
  const answer = await api.call("POST", `/v1/schedules/${await api.create(caller.live)}/replay`, caller.live);
  if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${answer.text}`);
  return answer.body.id;
}

/** Moves a live schedule that waits to now. */
export async function moveToNow(api: Api, { accountId }: TestCaller, id: string): Promise<void> {
  const moved = await api.services.connection.run(10_000, ({ db }) =>
    updateScheduled(db, { accountId, env: "live" }, decodeId("sch", id) as string, {
      fireTime: NOW,
      earlyFire: undefined,
    }),
  );
  if (!moved) throw new Error(`expected a schedule that waits: ${id}`);
}
