import type { EndReason } from "../../../domain/end-reasons.ts";
import type { HeaderPairs } from "../../../domain/headers.ts";
import type { IdPrefix } from "../../../domain/ids.ts";
import type { PlanLimits } from "../../../domain/plans.ts";
import { quotaOf, usagePeriod } from "../../../domain/quota.ts";
import type { LeftOut, RecurrenceStatus, SteppedRecurrence } from "../../../domain/recurrence-step.ts";
import type { RequestOptions } from "../../../domain/request-fields.ts";
import type { TargetPolicy } from "../../../domain/target-url.ts";
import type { Attempt, Environment, LeftAlone, Method, Operation, SigningSecrets, Status } from "../types.ts";
import type { Draft } from "./create.ts";
import { makeId, makeUuid } from "./ids.ts";
import type { Plan, RetryRule } from "./public.ts";

/** A schedule and its request. Instants are epoch ms. */
export type Stored = RequestOptions & {
  readonly id: string;
  readonly createdMs: number;
  readonly operationId: string | null;
  targetUrl: string;
  method: Method;
  replayOf: string | null;
  idempotencyKey: string | undefined;
  /** The request as it is compared with a later one of the same key. */
  compared: string;
  headers: HeaderPairs;
  payload: string;
  status: Status;
  earlyFire: boolean;
  fireMs: number;
  /** When the next attempt is due; null when none is. */
  nextMs: number | null;
  firedMs: number | null;
  /** It fired at its creation or a move to now, so it could not have been sent earlier. */
  isAsked: boolean;
  updatedMs: number;
  endedMs: number | null;
  attempts: number;
  failures: number;
  endReason: EndReason | null;
  log: (Attempt & { readonly atMs: number })[];
  isErased: boolean;
  /** The key of the recurrence that made it, and the instant that it stands for. */
  recurrence: string | null;
  occurrenceMs: number | null;
  /** Whether it is sent is decided when it is due: its recurrence must not overlap. */
  isHeld: boolean;
};

/** A recurrence and its request. Instants are epoch ms. */
export type StoredRecurrence = Omit<SteppedRecurrence, "isNew"> & {
  /** A UUID. */
  readonly id: string;
  readonly key: string;
  readonly createdMs: number;
  updatedMs: number;
  name: string | null;
  status: RecurrenceStatus;
  cron: string;
  overlap: "allow" | "skip";
  spreadMs: number;
  draft: Draft;
  targetUrl: string;
  /** The request as it is compared with a later one of the same key. */
  compared: string;
  nextStepMs: number | null;
  pauseNote: string | null;
  pausedUntilMs: number | null;
  leftOut: LeftOut[];
};

/** An operation, and its schedules until it has ended. */
export type StoredOperation = {
  readonly id: string;
  readonly createdMs: number;
  readonly action: Operation["action"];
  readonly filter: Operation["filter"];
  readonly total: Pick<Operation, "total" | "total_capped">;
  readonly idempotencyKey: string | undefined;
  readonly compared: string;
  members: readonly string[];
  status: Operation["status"];
  acted: number;
  leftAlone: LeftAlone;
  updatedMs: number;
  endedMs: number | null;
};

export type AccountSettings = {
  env: Environment;
  plan: Plan;
  limits: PlanLimits;
  nowMs: number;
  retries: RetryRule;
  earlyFire: boolean;
  scheduled: number;
  targets: TargetPolicy;
};

/** All that the service knows of one account in one environment. */
export class Account {
  readonly settings: AccountSettings;
  readonly limits: PlanLimits;
  readonly startMs: number;
  nowMs: number;
  readonly schedules: Map<string, Stored> = new Map();
  /** Schedules by their idempotency keys. */
  readonly keys: Map<string, Stored> = new Map();
  readonly operations: Map<string, StoredOperation> = new Map();
  /** Recurrences by their keys. */
  readonly recurrences: Map<string, StoredRecurrence> = new Map();
  /** Schedules created by month (UTC). */
  readonly #scheduled: Map<string, number> = new Map();
  /** The number of the current signing secret, and when it became the current one. */
  secretNumber: number = 1;
  requests: number = 0;
  rotatedMs: number | null = null;
  /** Answers to rotations with an idempotency key, the oldest first. */
  readonly rotations: Map<string, { atMs: number; answer: SigningSecrets }> = new Map();
  #ids = 0;

  constructor(settings: AccountSettings) {
    this.settings = settings;
    this.limits = settings.limits;
    this.nowMs = settings.nowMs;
    this.startMs = settings.nowMs;
    this.#scheduled.set(this.month, settings.scheduled);
  }

  makeId(prefix: IdPrefix): string {
    return makeId(prefix, ++this.#ids);
  }

  makeUuid(): string {
    return makeUuid(++this.#ids);
  }

  /** What recurrences change, as a copy: what becomes of it leaves this account as it is. */
  copy(): Account {
    const copy = new Account({ ...this.settings, nowMs: this.nowMs });
    copy.#ids = this.#ids;
    for (const [month, count] of this.#scheduled) copy.#scheduled.set(month, count);
    for (const [key, one] of this.recurrences) copy.recurrences.set(key, { ...one });
    for (const [id, one] of this.schedules) copy.schedules.set(id, { ...one });
    return copy;
  }

  /** The month (UTC) as YYYYMM. */
  get month(): string {
    return usagePeriod(this.nowMs);
  }

  /** Schedules created in this month. */
  get scheduled(): number {
    return this.#scheduled.get(this.month) ?? 0;
  }

  /** The monthly quota, and the count up to which it may be exceeded. */
  get quota(): { limit: number; graceLimit: number } {
    return quotaOf(this.limits, this.settings.env);
  }

  add(schedule: Stored, isUncounted = false): void {
    this.schedules.set(schedule.id, schedule);
    if (schedule.idempotencyKey !== undefined) this.keys.set(schedule.idempotencyKey, schedule);
    if (!isUncounted) this.#scheduled.set(this.month, this.scheduled + 1);
  }

  /** Counts a schedule no longer. */
  giveBack({ createdMs }: Stored): void {
    const month = usagePeriod(createdMs);
    this.#scheduled.set(month, (this.#scheduled.get(month) ?? 1) - 1);
  }

  /** Erases what terminal schedules carry, and deletes old ones, as the plan says. */
  expire(): void {
    for (const schedule of this.schedules.values()) {
      const { endedMs, idempotencyKey } = schedule;
      if (endedMs === null) continue;
      if (endedMs + this.limits.terminalDays * DAY_MS < this.nowMs) {
        this.schedules.delete(schedule.id);
        if (idempotencyKey !== undefined) this.keys.delete(idempotencyKey);
      } else if (!schedule.isErased && endedMs + this.limits.retentionDays * DAY_MS < this.nowMs) {
        Object.assign(schedule, { isErased: true, payload: "", headers: [] });
      }
    }
  }
}

export const DAY_MS = 86_400_000;
