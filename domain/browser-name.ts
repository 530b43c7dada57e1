// The first match counts, because the User-Agent of many browsers contains the names of others too.
const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const SYSTEMS = [
  ["Windows", "Windows"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["CrOS", "ChromeOS"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/** The browser that sends this User-Agent header, `Firefox on Linux`; null for an unknown one. */
export function browserName(userAgent: string): string | null {
  const browser = BROWSERS.find(([part]) => userAgent.includes(part))?.[1];
  const system = SYSTEMS.find(([part]) => userAgent.includes(part))?.[1];
  if (browser === undefined || !userAgent.startsWith("Mozilla/5.0 (")) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
