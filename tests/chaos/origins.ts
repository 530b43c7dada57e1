/**
 * The origins of the receiver, one port each. `well` and `unwell` serve the ordinary load. `shared` has targets of the
 * control group beside hanging ones; `hung`, `busy` and `slow` belong to adversaries alone. `many` is reached under
 * many names, each of which is an origin to a dispatcher.
 */
export const RECEIVER_ORIGINS = ["well", "unwell", "shared", "hung", "busy", "slow", "many"] as const;
export type ReceiverOrigin = (typeof RECEIVER_ORIGINS)[number];

/** Peers that are no part of the receiver: what they send makes a TLS or HTTP client compute. */
export const HOSTILE_KINDS = [
  "changes of keys",
  "session tickets",
  "requests for another handshake",
  "a chain over a binary curve (TLS 1.3)",
  "blank lines",
  "interim answers",
] as const;
export type HostileKind = (typeof HOSTILE_KINDS)[number];

/**
 * Where a schedule goes: an origin of the receiver, one of the many names, a host whose name never resolves, or a hostile
 * peer.
 */
export type Place =
  | Exclude<ReceiverOrigin, "many">
  | { many: number }
  | { unresolved: number }
  | { hostile: HostileKind };
export type Ports = Readonly<Record<ReceiverOrigin | HostileKind, number>>;

/** Number of names of `many`. A dispatcher gets all of them in one setting, which may have 128 KiB on Linux. */
export const MANY_NAMES = 2_000;

/** The origin of a place, as a schedule stores it. */
export function originAt(place: Place, ports: Ports): string {
  if (typeof place === "string") return `https://localhost:${ports[place]}`;
  if ("many" in place) return manyOrigin(place.many, ports);
  if ("hostile" in place) return `https://localhost:${ports[place.hostile]}`;
  return `https://host-${place.unresolved}.chaos.example.com`;
}

/** All origins of the receiver and the hostile peers in the form of DELIVERY_ALLOW. */
export function allowedOrigins(ports: Ports): string {
  const names = [...RECEIVER_ORIGINS.filter((origin) => origin !== "many"), ...HOSTILE_KINDS];
  const single = names.map((name) => `localhost:${ports[name]}`);
  return [...single, ...Array.from({ length: MANY_NAMES }, (_, n) => manyOrigin(n, ports))].join(",");
}

const manyOrigin = (n: number, ports: Ports) => `http://o${n}.many.localhost:${ports.many}`;
