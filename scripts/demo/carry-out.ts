import { setTimeout as wait } from "node:timers/promises";
import type { Answer, AttemptView, Client, CreatedView, ScheduleView } from "./client.ts";
import { inParallel } from "./in-parallel.ts";
import type { CreateRequest, DemoPlan, PlannedSchedule } from "./plan.ts";
import type { Arrivals } from "./receiver-process.ts";

/** A planned schedule and every answer that the API gave about it. */
export type Entry = {
  planned: PlannedSchedule;
  created: Answer<CreatedView>;
  repeated: Answer<CreatedView> | null;
  changed: Answer<ScheduleView> | null;
};

/** An entry with the schedule and its attempts as the API shows them in the end. */
export type Outcome = Entry & { schedule: ScheduleView | null; attempts: AttemptView[] };

export type Refusal = { request: CreateRequest; answer: Answer<CreatedView> };

/**
 * What the demo asks before it plans: the account's signing secret, and creations that must be refused. They make the service
 * load what a creation needs, so that no instant is near while it does.
 */
export async function prepare(
  client: Client,
  refused: CreateRequest[],
): Promise<{ signingSecret: string; refusals: Refusal[] }> {
  const { body } = await client<{ current: string }>("GET", "/v1/signing-secrets");
  const refusals = await Promise.all(
    refused.map(async (request) => ({ request, answer: await client<CreatedView>("POST", "/v1/schedules", request) })),
  );
  return { signingSecret: expectBody(body.current, "the signing secrets"), refusals };
}

/**
 * Carries the plan out through the API, and returns what became of each schedule. Waits until no schedule is open, retries
 * included, or until a time limit. `onProgress` gets lines about the progress. Throws the reason when `signal` aborts.
 */
export async function carryOut(
  client: Client,
  {
    plan,
    arrivals,
    onProgress,
    signal,
  }: {
    plan: DemoPlan;
    arrivals: Arrivals;
    onProgress: (text: string) => void;
    signal: AbortSignal;
  },
): Promise<Outcome[]> {
  onProgress(`creating ${plan.schedules.length} schedules`);
  const entries = await createAll(client, plan, signal);
  const watching = watch(client, { plan, arrivals, onProgress, signal });
  await Promise.all([changeInTime(client, entries, signal), watching]);
  return collect(client, entries);
}

async function watch(client: Client, { plan, arrivals, onProgress, signal }: Parameters<typeof carryOut>[1]) {
  for (let isOver = false; !isOver; ) {
    await wait(POLL_MS, undefined, { signal });
    const open = await countOpen(client);
    const sinceLastMs = Date.now() - plan.lastFireAtMs;
    const when = sinceLastMs < 0 ? `${(-sinceLastMs / 1_000).toFixed(0)} s to the last` : "the last are due";
    onProgress(`${arrivals.length} requests have arrived, ${open} schedules are open, ${when}`);
    isOver = (open === 0 && sinceLastMs > QUIET_MS) || sinceLastMs > SETTLE_MS_MAX;
  }
}

// Creates the earliest schedules first.
async function createAll(client: Client, plan: DemoPlan, signal: AbortSignal): Promise<Entry[]> {
  const create = (request: CreateRequest) => {
    signal.throwIfAborted();
    return client<CreatedView>("POST", "/v1/schedules", request);
  };
  return inParallel(plan.schedules, CALLS_MAX, async (planned): Promise<Entry> => {
    const created = await create(planned.request);
    const repeated = planned.isRepeated ? await create(planned.request) : null;
    return { planned, created, repeated, changed: null };
  });
}

// Makes each change at its planned instant, and stores the answers in the entries.
async function changeInTime(client: Client, entries: Entry[], signal: AbortSignal) {
  const changes = entries.map(async (entry) => {
    const { change } = entry.planned;
    const { id } = entry.created.body;
    if (!change || !id) return;
    await wait(Math.max(0, change.atMs - Date.now()), undefined, { signal });
    entry.changed =
      change.kind === "cancel"
        ? await client("DELETE", `/v1/schedules/${id}`)
        : await client("PATCH", `/v1/schedules/${id}`, { fireAt: new Date(change.fireAtMs).toISOString() });
  });
  await Promise.all(changes);
}

async function countOpen(client: Client): Promise<number> {
  const { body } = await client<{ total: number }>("GET", "/v1/schedules?status=scheduled,firing,failed&limit=1");
  return expectBody(body.total, "the list of schedules");
}

async function collect(client: Client, entries: Entry[]): Promise<Outcome[]> {
  const found = new Map<string, ScheduleView>();
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const { body } = await client<{ items: ScheduleView[]; total: number }>(
      "GET",
      `/v1/schedules?limit=${PAGE}&offset=${offset}`,
    );
    for (const schedule of expectBody(body.items, "the list of schedules")) found.set(schedule.id, schedule);
    total = expectBody(body.total, "the list of schedules");
  }
  return inParallel(entries, CALLS_MAX, async (entry) => {
    const schedule = found.get(entry.created.body.id ?? "") ?? null;
    if (!schedule) return { ...entry, schedule, attempts: [] };
    const { body } = await client<{ items: AttemptView[] }>("GET", `/v1/schedules/${schedule.id}/attempts`);
    return { ...entry, schedule, attempts: expectBody(body.items, "the attempts of a schedule") };
  });
}

const CALLS_MAX = 12;
const POLL_MS = 500;
/** An unexpected request would arrive within this. */
const QUIET_MS = 1_000;
/** The limit for finishing; the last retries take some 4 s, on a busy machine several times that. */
const SETTLE_MS_MAX = 60_000;
const PAGE = 100;

function expectBody<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`The API did not answer ${what}.`);
  return value;
}
