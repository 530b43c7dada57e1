import { DisplayName } from "../input/display-name.ts";

/** What a provider calls a person, as a name that may be stored; null when it cannot be. */
export function displayName(name: string | null): string | null {
  const text = [...(name ?? "").toWellFormed().replace(/\p{Cc}+/gu, " ")].slice(0, 80).join("");
  const parsed = DisplayName.safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** A picture's address that may be stored; null when it is none over https. */
export function pictureUrl(url: string | null): string | null {
  return url !== null && url.length <= 2_000 && URL.canParse(url) && new URL(url).protocol === "https:" ? url : null;
}
