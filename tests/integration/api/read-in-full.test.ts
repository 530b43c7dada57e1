import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { readPageCtx } from "#server/page-ctx.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { recordTestAttempt } from "../../helpers/attempts.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";
import { type Api, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Reads what the page of a schedule shows, while its first attempt is recorded between the read of `table` and the others. */
async function readAround(table: "schedules" | "attempts") {
  const caller = await api.account();
  const { cookie } = await api.session(caller.accountId);
  const id = await api.create(caller.live);
  const ctx = await readPageCtx(new Headers({ cookie }));
  if (ctx === null) throw new Error("the session does not count");
  const held = await api.sql.begin(async (sql) => {
    await sql`LOCK TABLE ${sql(table)} IN ACCESS EXCLUSIVE MODE`;
    const reading = readScheduleInFull(ctx, id, new Date());
    await waitFor("the read waits for the table", async () => (await waitingForLock(api.sql, `"${table}"`)) > 0);
    await recordTestAttempt(sql as unknown as postgres.Sql, `${decodeId("sch", id)}`, {
      attemptedAt: new Date(),
      offsetMs: 0,
    });
    return { reading };
  });
  const { status, attemptCount, attempts } = await held.reading;
  return { status, attemptCount, attempts: attempts.map(({ attempt }) => attempt) };
}

it("the page of a schedule never shows an end without the attempt that led to it", async () => {
  expect(await readAround("schedules")).toEqual({ status: "succeeded", attemptCount: 1, attempts: [1] });
});

it("the page of a schedule that waits shows no attempt that was recorded while it was read", async () => {
  expect(await readAround("attempts")).toEqual({ status: "scheduled", attemptCount: 0, attempts: [] });
});
