import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import type { ClaimedSchedule, ClaimRequest } from "#db/queries/schedules/claim.ts";
import type { DueCursor, DueSchedule } from "#db/queries/schedules/due.ts";
import type { ComingLane, DueLane, LaneCursor, LaneId } from "#db/queries/schedules/due-lanes.ts";
import type { ExpiredClaim } from "#db/queries/schedules/expired-claims.ts";
import { SHARDS } from "#domain/shard-share.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { CLAIM_AHEAD_MAX_MS, CLAIM_LEASE_MS, NOTIFY_HORIZON_MS } from "#domain/timing.ts";

export type StoredAccount = {
  id: string;
  shard: number;
  plan: "free" | "indie";
  cpsLimit: number | null;
  isActive: boolean;
  activatedAtMs: number;
  secret: string;
};

export type StoredSchedule = {
  id: string;
  version: number;
  account: StoredAccount;
  origin: string;
  status: ScheduleStatus;
  createdAtMs: number;
  fireAtMs: number;
  nextAtMs: number | null;
  attempts: number;
  failures: number;
  interruptions: number;
  claimedBy: string | null;
  claimedAtMs: number;
  claimDeadlineMs: number;
  /** When it was last cancelled or rescheduled. */
  changedAtMs: number | null;
};

type Lane = LaneId & { shard: number; dueAtMs: number | null; open: Sorted; firing: number };

const ENV = "live" as const;

/** The tables that deliveries live in, with the meaning of the real statements and functions. Instants are epoch ms. */
export class Store {
  readonly now: () => number;
  readonly schedules = new Map<string, StoredSchedule>();
  readonly accounts = new Map<string, StoredAccount>();
  readonly #lanes = new Map<string, Lane>();
  /** Open schedules of each shard in due order. */
  readonly #open = Array.from({ length: SHARDS }, () => new Sorted());
  readonly #lanesOf = Array.from({ length: SHARDS }, () => new Set<Lane>());
  readonly #firing = Array.from({ length: SHARDS }, () => new Set<StoredSchedule>());
  #ids = 0;
  /** Who hears what is notified. */
  readonly listeners = new Set<(payload: string) => void>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** A UUID; later ones sort behind. */
  newId(): string {
    const hex = (++this.#ids).toString(16).padStart(12, "0");
    return `01900000-0000-7000-8000-${hex}`;
  }

  notify(payload: string): void {
    for (const hear of this.listeners) hear(payload);
  }

  addAccount(account: StoredAccount): void {
    this.accounts.set(account.id, account);
    const lane: Lane = {
      accountId: account.id,
      env: ENV,
      shard: account.shard,
      dueAtMs: null,
      open: new Sorted(),
      firing: 0,
    };
    this.#lanes.set(account.id, lane);
    this.#lanesOf[account.shard]?.add(lane);
  }

  setActive(account: StoredAccount, isActive: boolean): void {
    account.isActive = isActive;
    if (!isActive) return;
    account.activatedAtMs = this.now();
    const first = this.#laneOf(account).open.first();
    if (first === undefined) return;
    this.#lower(account, first.nextAtMs as number);
    if ((first.nextAtMs as number) <= this.now() + NOTIFY_HORIZON_MS)
      this.#announce(account, account.id, first.nextAtMs as number, 2);
  }

  /** create_schedule and create_schedules. */
  create(account: StoredAccount, origin: string, instantsMs: readonly number[]): StoredSchedule[] {
    const nowMs = Math.ceil(this.now());
    const made = instantsMs.map((atMs): StoredSchedule => {
      const fireAtMs = Math.max(Math.round(atMs), nowMs);
      return {
        ...{ id: this.newId(), version: 0, account, origin, status: "scheduled", createdAtMs: nowMs, fireAtMs },
        ...{ nextAtMs: fireAtMs, attempts: 0, failures: 0, interruptions: 0 },
        ...{ claimedBy: null, claimedAtMs: 0, claimDeadlineMs: 0, changedAtMs: null },
      };
    });
    for (const one of made) {
      this.schedules.set(one.id, one);
      this.#addOpen(one);
    }
    const first = made.toSorted(inDueOrder)[0];
    if (first === undefined) return made;
    this.#lower(account, first.fireAtMs);
    const soon = made.filter(({ fireAtMs }) => fireAtMs <= this.now() + NOTIFY_HORIZON_MS).length;
    if (soon > 0) this.#announce(account, first.id, first.fireAtMs, soon);
    return made;
  }

  /** cancelOpenSchedule. */
  cancel(one: StoredSchedule): void {
    if (!isOpen(one)) return;
    this.#removeOpen(one);
    Object.assign(one, { status: "cancelled", version: one.version + 1, nextAtMs: null, changedAtMs: this.now() });
  }

  /** updateScheduled. */
  reschedule(one: StoredSchedule, atMs: number): void {
    if (one.status !== "scheduled" || atMs <= this.now()) return;
    this.#removeOpen(one);
    const fireAtMs = Math.round(atMs);
    Object.assign(one, { version: one.version + 1, fireAtMs, nextAtMs: fireAtMs, changedAtMs: this.now() });
    this.#addOpen(one);
    this.#lower(one.account, fireAtMs);
    if (fireAtMs <= this.now() + NOTIFY_HORIZON_MS) this.#announce(one.account, one.id, fireAtMs, 1);
  }

  findComingLanes(shards: readonly { id: number; from: DueCursor }[], untilMs: number, limit: number) {
    const coming: ComingLane[] = [];
    const reached = new Map<number, DueCursor>();
    for (const { id: shard, from } of shards) {
      const rows = this.#openIn(shard).between(from, untilMs, limit);
      const byAccount = Map.groupBy(rows, ({ account }) => account.id);
      for (const [accountId, of] of byAccount) {
        const [dueAtMs, lastDueAtMs] = [dueOf(of[0]), dueOf(of.at(-1))];
        coming.push({ accountId, env: ENV, shard, dueAtMs, lastDueAtMs });
      }
      const last = rows.at(-1);
      if (last && rows.length === limit) reached.set(shard, { ms: dueOf(last), id: last.id });
    }
    return { coming: coming.sort((a, b) => a.dueAtMs - b.dueAtMs), reached };
  }

  readDueLanes(shards: readonly { id: number; from: LaneCursor }[], untilMs: number, limit: number): DueLane[] {
    const isBehind = (lane: Lane, from: LaneCursor) =>
      lane.dueAtMs !== null &&
      lane.dueAtMs <= untilMs &&
      (lane.dueAtMs > from.ms || (lane.dueAtMs === from.ms && lane.accountId > from.accountId));
    return shards
      .flatMap(({ id, from }) =>
        [...(this.#lanesOf[id] ?? [])]
          .filter((lane) => isBehind(lane, from))
          .sort((a, b) => (a.dueAtMs as number) - (b.dueAtMs as number) || (a.accountId < b.accountId ? -1 : 1))
          .slice(0, limit),
      )
      .map(({ accountId, env, shard, dueAtMs }) => ({ accountId, env, shard, dueAtMs: dueAtMs as number }))
      .sort((a, b) => a.dueAtMs - b.dueAtMs || (a.accountId < b.accountId ? -1 : 1));
  }

  readEntries(lanes: readonly LaneId[]): (LaneId & { dueAtMs: number })[] {
    return lanes.flatMap(({ accountId, env }) => {
      const dueAtMs = this.#lanes.get(accountId)?.dueAtMs ?? null;
      return dueAtMs === null ? [] : [{ accountId, env, dueAtMs }];
    });
  }

  readDueOfLanes(lanes: readonly (LaneId & { from: DueCursor; untilMs: number; limit: number })[]): DueSchedule[] {
    return lanes.flatMap(({ accountId, from, untilMs, limit }) => {
      const lane = this.#lanes.get(accountId);
      if (!lane || !this.accounts.get(accountId)?.isActive) return [];
      return lane.open.between(from, untilMs, limit).map((one) => this.#due(one));
    });
  }

  findLanesWithMore(lanes: readonly (LaneId & { fromMs: number; to: DueCursor; known: number })[]): number[] {
    return lanes.flatMap(({ accountId, fromMs, to, known }, n) => {
      const lane = this.#lanes.get(accountId);
      if (!lane || !this.accounts.get(accountId)?.isActive) return [];
      return lane.open.countUpTo(fromMs, to, known + 1) > known ? [n] : [];
    });
  }

  raiseLanes(lanes: readonly LaneId[]): (LaneId & { dueAtMs: number | null })[] {
    return lanes.flatMap(({ accountId, env }) => {
      const lane = this.#lanes.get(accountId);
      if (!lane || lane.firing > 0) return [];
      const isActive = this.accounts.get(accountId)?.isActive === true;
      lane.dueAtMs = isActive ? (lane.open.first()?.nextAtMs ?? null) : null;
      return [{ accountId, env, dueAtMs: lane.dueAtMs }];
    });
  }

  /** How many lanes have an entry that is missing or too late: none, ever. */
  auditLanes(): { missing: number; late: number } {
    const active = [...this.#lanes.values()].filter((lane) => this.accounts.get(lane.accountId)?.isActive);
    const wrong = active.flatMap((lane) => {
      const first = lane.open.first()?.nextAtMs ?? null;
      return first === null || (lane.dueAtMs !== null && lane.dueAtMs <= first) ? [] : [lane.dueAtMs];
    });
    const missing = wrong.filter((dueAtMs) => dueAtMs === null).length;
    return { missing, late: wrong.length - missing };
  }

  readDueById(ids: readonly string[], untilMs: number): DueSchedule[] {
    return ids
      .flatMap((id) => this.schedules.get(id) ?? [])
      .filter((one) => isOpen(one) && dueOf(one) <= untilMs && one.account.isActive)
      .sort(inDueOrder)
      .map((one) => this.#due(one));
  }

  claim(
    dispatcherId: string,
    owns: (shard: number) => boolean,
    wanted: readonly ClaimRequest[],
    step: number,
  ): ClaimedSchedule[] {
    return wanted.flatMap(({ id, version }) => {
      const one = this.schedules.get(id);
      const mayClaim =
        one !== undefined &&
        one.version === version &&
        isOpen(one) &&
        owns(one.account.shard) &&
        one.account.isActive &&
        dueOf(one) <= this.now() + CLAIM_AHEAD_MAX_MS;
      if (!mayClaim) return [];
      this.#removeOpen(one);
      one.status = "firing";
      one.version += step;
      one.attempts++;
      one.claimedBy = dispatcherId;
      one.claimedAtMs = this.now();
      one.claimDeadlineMs = this.now() + CLAIM_LEASE_MS;
      this.#firing[one.account.shard]?.add(one);
      this.#laneOf(one.account).firing++;
      return [this.#claimed(one)];
    });
  }

  /** Repeats a claim: what it has claimed counts, and of other rows that have changed it names the ids. */
  claimAgain(...claim: Parameters<Store["claim"]>): { claimed: ClaimedSchedule[]; moved: string[] } {
    const [dispatcherId, owns, wanted, step] = claim;
    const changed = wanted.flatMap(({ id, version }) => {
      const one = this.schedules.get(id);
      if (!one || one.version <= version || !owns(one.account.shard)) return [];
      const isMine = one.version === version + step && one.status === "firing" && one.claimedBy === dispatcherId;
      return [{ one, isMine }];
    });
    const before = changed.flatMap(({ one, isMine }) => (isMine ? [this.#claimed(one)] : []));
    const moved = changed.flatMap(({ one, isMine }) => (isMine ? [] : [one.id]));
    return { claimed: [...before, ...this.claim(...claim)], moved };
  }

  /** `isOthers` says whether another dispatcher owns a shard. */
  release(
    dispatcherId: string,
    claims: readonly { id: string; version: number }[],
    isOthers: (shard: number) => boolean,
  ) {
    const released = claims.flatMap(({ id, version }) => {
      const one = this.schedules.get(id);
      if (one?.status !== "firing" || one.version !== version || one.claimedBy !== dispatcherId) return [];
      this.#endFiring(one);
      one.status = one.attempts === 1 ? "scheduled" : "failed";
      one.version++;
      one.attempts--;
      this.#addOpen(one);
      if (isOthers(one.account.shard)) this.#announce(one.account, id, dueOf(one), 1);
      return [{ id, version: one.version }];
    });
    return { released, locked: [] };
  }

  readExpiredClaims(shards: readonly { id: number; fromMs: number }[], limit: number): ExpiredClaim[] {
    const nowMs = this.now();
    return shards
      .flatMap(({ id, fromMs }) =>
        [...(this.#firing[id] ?? [])].filter(({ claimDeadlineMs: ms }) => ms >= fromMs && ms < nowMs),
      )
      .sort((a, b) => a.claimDeadlineMs - b.claimDeadlineMs)
      .slice(0, limit)
      .map((one) => ({
        ...{ id: one.id, version: one.version, attempt: one.attempts, failures: one.failures },
        ...{
          interruptions: one.interruptions,
          claimedAtMs: Math.floor(one.claimedAtMs),
          dueAtMs: one.nextAtMs as number,
        },
        ...{ claimDeadlineMs: one.claimDeadlineMs, expiresAtMs: null },
      }));
  }

  record(records: readonly AttemptRecord[]): { id: string; version: number }[] {
    return records.flatMap((record) => {
      const one = this.schedules.get(record.scheduleId);
      if (!one) return [];
      const isClaimed = one.version === record.version && one.status === "firing";
      const replacesInterruption =
        record.outcome !== "interrupted" &&
        one.version === record.version + 1 &&
        (one.status === "failed" || one.status === "dead") &&
        one.interruptions > 0 &&
        one.attempts === record.attempt;
      if (!isClaimed && !replacesInterruption) return [];
      if (isClaimed) this.#endFiring(one);
      else if (isOpen(one)) this.#removeOpen(one);
      one.status = record.status;
      one.version++;
      one.failures = record.failures;
      one.interruptions = record.interruptions;
      one.nextAtMs = record.nextAttemptAtMs;
      if (isOpen(one)) {
        this.#addOpen(one);
        this.#lower(one.account, one.nextAtMs as number);
      }
      return [{ id: one.id, version: one.version }];
    });
  }

  #due(one: StoredSchedule): DueSchedule {
    const { account } = one;
    return {
      ...{ id: one.id, version: one.version, shard: account.shard, accountId: account.id, env: ENV },
      ...{ dueAtMs: dueOf(one), early: false, isRetry: one.status === "failed", origin: one.origin, path: null },
      ...{ bytes: 0, accountActive: true, plan: account.plan, cpsLimit: account.cpsLimit, expiresAtMs: null },
    };
  }

  #claimed(one: StoredSchedule): ClaimedSchedule {
    const { account } = one;
    return {
      ...{ id: one.id, version: one.version, accountId: account.id, env: ENV, attempt: one.attempts },
      ...{ failures: one.failures, interruptions: one.interruptions, earlyFire: false },
      heldBack: dueOf(one) < account.activatedAtMs,
      isDueWhenAsked: one.fireAtMs === one.createdAtMs && one.failures === 0,
      ...{ fireAtMs: one.fireAtMs, dueAtMs: dueOf(one), claimedAtMs: one.claimedAtMs },
      ...{ claimDeadlineMs: one.claimDeadlineMs, targetUrl: `${one.origin}/hook`, method: "POST", sealed: null },
      ...{ currentSecret: account.secret, formerSecret: null, plan: account.plan },
      ...{ retryAttempts: null, retryBackoffMs: null, retryStrategy: null, delivery: null },
    };
  }

  #laneOf(account: StoredAccount): Lane {
    return this.#lanes.get(account.id) as Lane;
  }

  #openIn(shard: number): Sorted {
    return this.#open[shard] as Sorted;
  }

  #addOpen(one: StoredSchedule): void {
    this.#openIn(one.account.shard).add(one);
    this.#laneOf(one.account).open.add(one);
  }

  #removeOpen(one: StoredSchedule): void {
    this.#openIn(one.account.shard).remove(one);
    this.#laneOf(one.account).open.remove(one);
  }

  #endFiring(one: StoredSchedule): void {
    this.#firing[one.account.shard]?.delete(one);
    this.#laneOf(one.account).firing--;
    one.claimedBy = null;
  }

  #lower(account: StoredAccount, dueAtMs: number): void {
    const lane = this.#laneOf(account);
    if (lane.dueAtMs === null || lane.dueAtMs > dueAtMs) lane.dueAtMs = dueAtMs;
  }

  #announce(account: StoredAccount, id: string, atMs: number, count: number): void {
    this.notify([account.shard, id, account.id, ENV, atMs, count].join(":"));
  }
}

const isOpen = ({ status }: StoredSchedule): boolean => status === "scheduled" || status === "failed";

const dueOf = (one: StoredSchedule | undefined): number => one?.nextAtMs as number;

function inDueOrder(a: StoredSchedule, b: StoredSchedule): number {
  return dueOf(a) - dueOf(b) || (a.id < b.id ? -1 : 1);
}

/** Open schedules in due order. */
class Sorted {
  readonly #items: StoredSchedule[] = [];

  first(): StoredSchedule | undefined {
    return this.#items[0];
  }

  add(one: StoredSchedule): void {
    const last = this.#items.at(-1);
    if (last === undefined || inDueOrder(last, one) < 0) this.#items.push(one);
    else this.#items.splice(this.#indexOf({ ms: dueOf(one), id: one.id }), 0, one);
  }

  remove(one: StoredSchedule): void {
    const at = this.#indexOf({ ms: dueOf(one), id: one.id }) - 1;
    if (this.#items[at] !== one) throw new Error("an open schedule is not where its due time says");
    this.#items.splice(at, 1);
  }

  /** Those behind `from` and up to `untilMs`, at most `limit`. */
  between(from: DueCursor, untilMs: number, limit: number): StoredSchedule[] {
    const at = this.#indexOf(from);
    const found: StoredSchedule[] = [];
    for (let n = at; n < this.#items.length && found.length < limit; n++) {
      const one = this.#items[n] as StoredSchedule;
      if (dueOf(one) > untilMs) break;
      found.push(one);
    }
    return found;
  }

  countUpTo(fromMs: number, to: DueCursor, limit: number): number {
    const from = this.#indexOf({ ms: fromMs, id: "" });
    return Math.min(Math.max(this.#indexOf(to) - from, 0), limit);
  }

  /** How many are at or before a cursor. */
  #indexOf({ ms, id }: DueCursor): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = this.#items[middle] as StoredSchedule;
      const isBefore = dueOf(one) < ms || (dueOf(one) === ms && one.id <= id);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
