import { waitFor } from "./wait-for.ts";

const HOUR_MS = 3_600_000;

/** Waits until more than `ms` of the hour are left, since figures are counted by the hour. */
export const untilHourLasts = (ms: number) =>
  waitFor(`${ms} ms of the hour are left`, () => HOUR_MS - (Date.now() % HOUR_MS) > ms, ms + 10_000);
