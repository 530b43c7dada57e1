import { cookies, headers } from "next/headers";
import { readTimes, readZone, TIMES_COOKIE, ZONE_COOKIE } from "#components/layout/times.ts";
import { environmentOf } from "#domain/environment.ts";
import { readFlash } from "#server/http/flash-cookie.ts";
import type { View } from "./view.ts";

/** The settings of the page at `path` with these parameters, for the request that is being answered. */
export async function readView(path: string, params: View["params"]): Promise<View> {
  const jar = await cookies();
  const times = readTimes(jar.get(TIMES_COOKIE)?.value);
  const browserZone = readZone(jar.get(ZONE_COOKIE)?.value);
  const zone = times === "local" ? (browserZone ?? "UTC") : "UTC";
  const flash = readFlash((await headers()).get("cookie"), path);
  return { path, params, env: environmentOf(params.env), times, browserZone, zone, flash, now: new Date() };
}
