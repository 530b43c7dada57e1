import { DisplayName } from "#contract/inputs/display-name.ts";

/** A provider's display name, cut and cleaned for storage; null when nothing usable is left. */
export function sanitizeDisplayName(name: string | null): string | null {
  const text = [...(name ?? "").toWellFormed().replace(/\p{Cc}+/gu, " ")].slice(0, 80).join("");
  const parsed = DisplayName.safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** A provider's avatar URL; null unless it is an https URL of at most 2,000 characters. */
export function sanitizePictureUrl(url: string | null): string | null {
  return url !== null && url.length <= 2_000 && URL.canParse(url) && new URL(url).protocol === "https:" ? url : null;
}
