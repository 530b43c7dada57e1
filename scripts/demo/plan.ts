export type Method = (typeof METHODS)[number];

/** The body of POST /v1/schedules. */
export type CreateRequest = {
  targetUrl: string;
  fireAt: string;
  method?: Method;
  payload?: string;
  headers?: Record<string, string>;
  idempotencyKey?: string;
};

export type PlannedSchedule = {
  name: string;
  request: CreateRequest;
  fireAtMs: number;
  /** Whether it is created a second time with the same idempotency key. */
  isRepeated: boolean;
  /** What the demo does to it before it fires. */
  change: { kind: "cancel"; atMs: number } | { kind: "reschedule"; atMs: number; fireAtMs: number } | null;
  /** The status codes that its target answers with, one for each attempt. */
  answers: number[];
};

export type DemoPlan = {
  /** The schedules in the order in which they fire. */
  schedules: PlannedSchedule[];
  /** When the last one fires, after the changes. */
  lastFireAtMs: number;
};

/**
 * Plans the demo: `count` schedules that fire at random milliseconds within `seconds`, after a pause for creating them.
 * Each of the five methods comes with each kind of payload. About one in 16 is cancelled, as many are rescheduled, and
 * one has a target that fails twice. All instants are epoch ms. The same `seed` gives the same plan. `slowness` is how many
 * times as long everything takes, a whole number.
 */
export function planDemo(options: {
  count: number;
  seconds: number;
  startMs: number;
  receiverPort: number;
  seed: number;
  slowness?: number;
}): DemoPlan {
  const { slowness = 1 } = options;
  const random = seededRandom(options.seed);
  const between = (from: number, to: number) => Math.floor(from + random() * (to - from));
  const closesMs = CREATING_MS + options.seconds * 1000;
  const at = (sinceStartMs: number) => options.startMs + sinceStartMs * slowness;
  const shared = Math.max(2, Math.round(options.count / 16));
  const order = shuffled(options.count, random);
  const roleOf = (n: number) => {
    const place = order[n] as number;
    if (place === 0) return "flaky";
    if (place <= shared) return "cancel";
    if (place <= 2 * shared) return place % 2 === 0 ? "move later" : "move earlier";
    return "plain";
  };

  const schedules = Array.from({ length: options.count }, (_, n): PlannedSchedule => {
    const role = roleOf(n);
    const planned = instants(role, CREATING_MS, closesMs, between);
    const fireAtMs = at(planned.fireAtMs);
    const idempotencyKey = n % 3 === 0 ? `demo ${options.seed}/${slowness}/${n}` : undefined;
    const path =
      role === "flaky" ? `/flaky/${slowness}/${n}` : `/hook/${n}${n % 4 === 0 ? "?name=caf%C3%A9&empty=" : ""}`;
    const { payload, headers } = content(n, random);
    return {
      name: `no. ${n}`,
      request: {
        targetUrl: `https://localhost:${options.receiverPort}${path}`,
        fireAt: n % 4 === 1 ? withOffset(fireAtMs) : new Date(fireAtMs).toISOString(),
        method: METHODS[n % METHODS.length],
        payload,
        headers,
        idempotencyKey,
      },
      fireAtMs,
      isRepeated: idempotencyKey !== undefined && n % 2 === 0,
      change: planned.change && changeAt(planned.change, at),
      answers: role === "flaky" ? [500, 500, 200] : [200],
    };
  });
  return {
    schedules: schedules.sort((a, b) => a.fireAtMs - b.fireAtMs),
    lastFireAtMs: at(closesMs),
  };
}

/** Creations that must be refused for their target: a private address, and a port of this machine that is not allowed. */
export function planRefused({ nowMs, receiverPort }: { nowMs: number; receiverPort: number }): CreateRequest[] {
  const fireAt = new Date(nowMs + 3_600_000).toISOString();
  return [
    { targetUrl: "https://10.0.0.1/hook", fireAt },
    { targetUrl: `https://localhost:${(receiverPort % 65_535) + 1}/hook`, fireAt },
  ];
}

/** The fewest schedules and seconds in which every part of the plan fits. */
export const COUNT_MIN = 20;
export const SECONDS_MIN = 4;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const CREATING_MS = 3_000;
/** A change happens at least this long before its schedule falls due. */
const IN_TIME_MS = 1_200;

type Role = "plain" | "flaky" | "cancel" | "move later" | "move earlier";

// When it fires, and its change: ms since the start.
function instants(role: Role, opensMs: number, closesMs: number, between: (from: number, to: number) => number) {
  const before = (fireAtMs: number) => fireAtMs - between(IN_TIME_MS, IN_TIME_MS + 1_300);
  switch (role) {
    case "plain":
      return { fireAtMs: between(opensMs, closesMs), change: null };
    case "flaky":
      return { fireAtMs: between(opensMs, opensMs + 500), change: null };
    case "cancel": {
      const fireAtMs = between(opensMs + 1_500, closesMs);
      return { fireAtMs, change: { kind: "cancel" as const, atMs: before(fireAtMs) } };
    }
    case "move later": {
      const fireAtMs = between(opensMs + 1_500, closesMs - 1_000);
      const change = {
        kind: "reschedule" as const,
        atMs: before(fireAtMs),
        fireAtMs: between(fireAtMs + 200, closesMs),
      };
      return { fireAtMs, change };
    }
    case "move earlier": {
      const atMs = between(opensMs - 1_000, closesMs - 2_600);
      const change = { kind: "reschedule" as const, atMs, fireAtMs: atMs + between(IN_TIME_MS, IN_TIME_MS + 800) };
      return { fireAtMs: between(closesMs - 500, closesMs), change };
    }
  }
}

// The same change, with instants instead of ms since the start.
function changeAt(change: NonNullable<PlannedSchedule["change"]>, at: (sinceStartMs: number) => number) {
  return change.kind === "cancel"
    ? { ...change, atMs: at(change.atMs) }
    : { ...change, atMs: at(change.atMs), fireAtMs: at(change.fireAtMs) };
}

function content(n: number, random: () => number): { payload?: string; headers?: Record<string, string> } {
  const number = { "X-Demo-Number": String(n) };
  switch (Math.floor(n / METHODS.length) % 7) {
    case 0:
      return {};
    case 1:
      return { payload: "", headers: number };
    case 2:
      return { payload: `plain text of number ${n}` };
    case 3:
      return {
        payload: JSON.stringify({ number: n, nested: { list: [1, 2.5, null, true] } }),
        headers: { ...number, "Content-Type": "application/json", Accept: "application/json" },
      };
    case 4:
      return {
        payload: "żółć 漢字 👩‍🚀 עברית é e\u0301 \ufeff",
        headers: { "content-type": "text/plain; charset=utf-8" },
      };
    case 5:
      return { payload: `a\0b\r\n\u0001${n}\0`, headers: { ...number, "User-Agent": "stopwatch-demo (its own)" } };
    default:
      return {
        payload: Array.from({ length: 1_000 + Math.floor(random() * 500) }, () => random().toString(36)[2]).join("é👋"),
        headers: { ...number, "X-Tab-And-Space": "a\tb  c" },
      };
  }
}

function withOffset(epochMs: number): string {
  const offsetMs = 5.5 * 3_600_000;
  return new Date(epochMs + offsetMs).toISOString().replace("Z", "+05:30");
}

function shuffled(count: number, random: () => number): number[] {
  const list = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [list[last], list[other]] = [list[other] as number, list[last] as number];
  }
  return list;
}

// mulberry32
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
