import { readPublicDays } from "#db/queries/attempts/public-days.ts";
import { cacheFor, rememberLast } from "#domain/cache-for.ts";
import { type PublicDay, publicDays } from "#domain/public-days.ts";
import { DATABASE_BUDGET_MS, getServices, perServices, type Services } from "../services.ts";

/** How long the figures by day are cached, here and by callers, s. */
export const PUBLIC_DAYS_MAX_AGE_S = 60;

/** The public figures by day, and when they were read. */
export type PublicDays = { days: PublicDay[]; updatedAt: Date };

/** The public figures by day, at most `PUBLIC_DAYS_MAX_AGE_S` old. Throws UNAVAILABLE while the database does not answer. */
export const readDays = (): Promise<PublicDays> => days().read();

/** As `readDays`; while the database does not answer the last figures that this process has read, or null. */
export async function readLastDays(): Promise<PublicDays | null> {
  const { read, last } = days();
  try {
    return await read();
  } catch (error) {
    getServices().log.warn({ err: error }, "the public punctuality by day could not be read");
    return last();
  }
}

const days = perServices((services) => rememberLast(cacheFor(PUBLIC_DAYS_MAX_AGE_S * 1_000, () => readNow(services))));

async function readNow({ installation, anonymous }: Services): Promise<PublicDays> {
  await installation();
  const { atMs, counts } = await anonymous.run(DATABASE_BUDGET_MS, ({ sql }) => readPublicDays(sql));
  return { days: publicDays(counts, atMs), updatedAt: new Date(atMs) };
}
