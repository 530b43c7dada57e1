/**
 * The states of a delivery, what it holds in each, and the moves between them. `Deliveries.move` is the only code that
 * makes a move, and with it acquires and releases what is held.
 *
 *      ●──▶ known ◀──────── tried again later ────────┐
 *             │ │                                      │ no connection opened
 *             │ └─ no room ──▶ awaiting connection ────┴──▶ refused ──▶ claiming refused ──┐
 *        room │                    │          ▲                                            │
 *             │ ◀────── room ──────┘          │                                            │
 *             ▼                               │                                            │
 *       awaiting slot ── no room at its turn ─┘                                            │
 *             │ slot, reservation                                                          │
 *             ▼                                                                            │
 *         admitted                                                                         │
 *             │                                                                            │
 *             ▼                                                                            │
 *         claiming                                                                         │
 *             │                                                                            │
 *             ▼                                                                            │
 *          claimed ──────────────────── cannot be read ───────────────────────────────────▶│
 *             │                                                                            │
 *             ▼                                                                            │
 *         prepared                                                                         │
 *             │ its instant                                                                │
 *             ▼                                                                            │
 *           ready ◀──── connection was gone ────┐                                          │
 *             │ └────── no connection opened ───│─────────────────────────────────────────▶│
 *             ▼                                 │                                          │
 *         writing ──────────────────────────────┴────── cannot be sent ───────────────────▶│
 *             │ first byte                                                                 │
 *             ▼                                                                            │
 *            sent                                                                          │
 *             │ outcome                                                                    │
 *             ▼                                                                            │
 *         answered ──────────────────── response was read ────────────────────────────────▶│
 *             │ recorded                                                                   ▼
 *             │                                                                        recording
 *             ▼                                                                            │ recorded
 *         draining ──────────────────── response was read ────────────▶ recorded ◀─────────┘
 *
 * Other ends: a delivery without a claim can be `removed`, because its schedule changed or its shard was lost. A
 * claim that sent nothing, or whose answer was lost, goes `releasing` ──▶ `removed`. `recorded` and `removed` are final.
 */

/** What a delivery holds. */
export type Held = {
  /** A place in this process's memory. At most one delivery of a schedule has one. */
  memory: boolean;
  /** A slot of its lane: one of the account's calls per second. */
  slot: boolean;
  /** `wanted` asks for a connection; `reserved` counts against the limits; `assigned` has the connection itself. */
  connection: "wanted" | "reserved" | "assigned" | null;
  /** Bytes of claimed requests that have not left. */
  bytes: boolean;
  /** The lease on the row. Its outcome must be recorded, or the row put back. */
  claim: boolean;
};

export const NOTHING: Held = { memory: false, slot: false, connection: null, bytes: false, claim: false };

/** Each state: what a delivery holds in it, and the states it may go to. */
export const STATES = {
  /** In the due queue. */
  known: state({ memory: true }, ["awaiting slot", "awaiting connection", "removed"]),
  /** About to fall due. It waits until its origin and account have room. */
  "awaiting connection": state({ memory: true, connection: "wanted" }, [
    "awaiting slot",
    "known",
    "refused",
    "removed",
  ]),
  /** Waits for a slot of its lane. */
  "awaiting slot": state({ memory: true }, ["admitted", "awaiting connection", "removed"]),
  /** Waits for the next claim statement, or until it may be claimed. */
  admitted: state({ memory: true, slot: true, connection: "reserved" }, ["claiming", "removed"]),
  /** Its claim is in flight. */
  claiming: state({ memory: true, slot: true, connection: "reserved", bytes: true }, [
    "claimed",
    "releasing",
    "removed",
  ]),
  /** Claimed; its request is being prepared. */
  claimed: state({ memory: true, slot: true, connection: "reserved", bytes: true, claim: true }, [
    "prepared",
    "recording",
    "releasing",
  ]),
  /** Waits for its instant. */
  prepared: state({ memory: true, slot: true, connection: "reserved", bytes: true, claim: true }, [
    "ready",
    "releasing",
  ]),
  /** Its instant has come. It waits for a connection. */
  ready: state({ memory: true, slot: true, connection: "reserved", bytes: true, claim: true }, [
    "writing",
    "recording",
    "releasing",
  ]),
  /** It has its connection. Nothing is written yet. */
  writing: state({ memory: true, slot: true, connection: "assigned", bytes: true, claim: true }, [
    "sent",
    "ready",
    "recording",
    "releasing",
  ]),
  /** The first byte has left. The slot now belongs to the lane, which frees it a second later. */
  sent: state({ memory: true, connection: "assigned", claim: true }, ["answered"]),
  /** The outcome is known; the rest of the response is still read. */
  answered: state({ memory: true, connection: "assigned", claim: true }, ["recording", "draining"]),
  /** The outcome is known and nothing is on the wire. */
  recording: state({ memory: true, claim: true }, ["recorded", "removed"]),
  /** The outcome is recorded; the rest of the response is still read. */
  draining: state({ connection: "assigned" }, ["recorded"]),
  /** No connection could be opened. It waits for its claim, so that the failure can be recorded. */
  refused: state({ memory: true }, ["claiming refused", "removed"]),
  "claiming refused": state({ memory: true, bytes: true }, ["recording", "releasing", "removed"]),
  /** Its row is being put back where it came from. */
  releasing: state({ bytes: true, claim: true }, ["removed"]),
  recorded: state({}, []),
  removed: state({}, []),
} as const satisfies Record<DeliveryState, unknown>;

export type DeliveryState =
  | "known"
  | "awaiting connection"
  | "awaiting slot"
  | "admitted"
  | "claiming"
  | "claimed"
  | "prepared"
  | "ready"
  | "writing"
  | "sent"
  | "answered"
  | "recording"
  | "draining"
  | "refused"
  | "claiming refused"
  | "releasing"
  | "recorded"
  | "removed";

/** States in which a delivery can be removed at once, when its schedule has a newer version or its shard is lost. */
const UNCLAIMED: ReadonlySet<DeliveryState> = new Set(["known", "awaiting connection", "awaiting slot", "refused"]);

/** Whether a delivery in this state can be removed at once. */
export const isUnclaimed = (state: DeliveryState): boolean => UNCLAIMED.has(state);

/** Whether this counts against the limits on connections. */
export const occupies = (connection: Held["connection"]): boolean =>
  connection === "reserved" || connection === "assigned";

/** A move that the table does not have: a bug. */
export class IllegalTransition extends Error {
  constructor(from: DeliveryState, to: DeliveryState) {
    super(`a delivery cannot go from "${from}" to "${to}"`);
  }
}

function state(held: Partial<Held>, next: DeliveryState[]): { held: Held; next: ReadonlySet<DeliveryState> } {
  return { held: { ...NOTHING, ...held }, next: new Set(next) };
}
