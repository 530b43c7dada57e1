/**
 * The origins of the receiver, one port each. `well` and `unwell` serve the ordinary load. `shared` has targets of the
 * control group beside hanging ones; `hung`, `busy` and `slow` belong to adversaries alone. `many` is reached under
 * many names, each of which is an origin to a dispatcher.
 */
export const RECEIVER_ORIGINS = ["well", "unwell", "shared", "hung", "busy", "slow", "many"] as const;
export type ReceiverOrigin = (typeof RECEIVER_ORIGINS)[number];

/** Where a schedule goes: an origin of the receiver, one of the many names, or a host whose name never resolves. */
export type Place = Exclude<ReceiverOrigin, "many"> | { many: number } | { unresolved: number };

/** Number of names of `many`. A dispatcher gets all of them in one setting, which may have 128 KiB on Linux. */
export const MANY_NAMES = 2_000;

/** The origin of a place, as a schedule stores it. */
export function originAt(place: Place, ports: Readonly<Record<ReceiverOrigin, number>>): string {
  if (typeof place === "string") return `https://localhost:${ports[place]}`;
  if ("many" in place) return manyOrigin(place.many, ports);
  return `https://host-${place.unresolved}.chaos.example.com`;
}

/** All origins of the receiver in the form of DELIVERY_ALLOW. */
export function allowedOrigins(ports: Readonly<Record<ReceiverOrigin, number>>): string {
  const single = RECEIVER_ORIGINS.filter((origin) => origin !== "many").map((origin) => `localhost:${ports[origin]}`);
  return [...single, ...Array.from({ length: MANY_NAMES }, (_, n) => manyOrigin(n, ports))].join(",");
}

const manyOrigin = (n: number, ports: Readonly<Record<ReceiverOrigin, number>>) =>
  `http://o${n}.many.localhost:${ports.many}`;
