import { IdempotencyKey } from "#contract/inputs/create-input.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { ENVIRONMENTS, type Environment } from "#domain/environment.ts";
import { encodeId } from "#domain/ids.ts";
import { pastedScheduleId } from "#domain/pasted-schedule-id.ts";
import { type Ctx, inEnvironment } from "../context.ts";
import { findOwnSchedules } from "../schedules/get.ts";
import { listOwnPage } from "../schedules/list.ts";

/** What of a schedule was typed. */
type By = "id" | "key" | "url";

export type TypedSchedule = Pick<ScheduleRow, "method" | "status"> & {
  id: string;
  env: Environment;
  by: By;
  url: string;
  fireAt: string;
};

/** A shorter part of a URL is in too many of them. */
const URL_PART_MIN = 3;
const URL_PART_MAX = 200;
const BY_URL_MAX = 5;

/**
 * The schedules that a typed or pasted text may mean: the one with the id in it, in either environment; else those with this
 * idempotency key, in either environment, and the newest five of the caller's environment with the text in their URL.
 */
export async function findTyped(ctx: Ctx, text: string): Promise<TypedSchedule[]> {
  const id = pastedScheduleId(text);
  if (id !== null) return inEach(ctx, "id", (one) => findOwnSchedules(one, [id]));
  const [byKey, byUrl] = await Promise.all([
    IdempotencyKey.safeParse(text).success ? inEach(ctx, "key", (one) => withKey(one, text)) : [],
    findByUrl(ctx, text),
  ]);
  return [...byKey, ...byUrl.filter((row) => byKey.every((other) => other.id !== row.id))];
}

async function inEach(ctx: Ctx, by: By, find: (ctx: Ctx) => Promise<ScheduleRow[]>): Promise<TypedSchedule[]> {
  const found = ENVIRONMENTS.map(async (env) => (await find(inEnvironment(ctx, env))).map(present(env, by)));
  return (await Promise.all(found)).flat();
}

async function withKey(ctx: Ctx, idempotency_key: string): Promise<ScheduleRow[]> {
  return (await listOwnPage(ctx, { idempotency_key, sort: "-created_at", limit: 1, offset: 0 })).rows;
}

async function findByUrl(ctx: Ctx, q: string): Promise<TypedSchedule[]> {
  const { length } = [...q];
  if (length < URL_PART_MIN || length > URL_PART_MAX || q.includes("\0")) return [];
  const { rows } = await listOwnPage(ctx, { q, sort: "-created_at", limit: BY_URL_MAX, offset: 0 });
  return rows.map(present(ctx.tenant.env, "url"));
}

const present =
  (env: Environment, by: By) =>
  ({ id, method, status, targetUrl, fireAt }: ScheduleRow): TypedSchedule => ({
    id: encodeId("sch", id),
    env,
    by,
    method,
    status,
    url: targetUrl,
    fireAt: fireAt.toISOString(),
  });
