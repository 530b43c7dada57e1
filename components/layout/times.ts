import { findZone } from "#domain/zoned-time.ts";

/** The zone in which a page shows instants: UTC, or the browser's. */
export const TIMES = ["utc", "local"] as const;

export type Times = (typeof TIMES)[number];

/** The cookie that holds the choice; UTC without it. */
export const TIMES_COOKIE = "times";

/** The cookie in which a script stores the browser's zone, an IANA name: the server renders instants in it. */
export const ZONE_COOKIE = "zone";

/** The choice of a cookie value; UTC for any other value. */
export function readTimes(value: string | undefined): Times {
  return value === "local" ? "local" : "utc";
}

/** The IANA zone of a cookie value; undefined when there is no such zone. */
export function readZone(value: string | undefined): string | undefined {
  return findZone(value ?? "") ?? undefined;
}
