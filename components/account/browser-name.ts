// The first that occurs counts: the ones below call themselves by several names.
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

/** The browser that sends this User-Agent header, `Firefox on Linux`; null when it is none that is known. */
export function browserName(userAgent: string): string | null {
  const browser = BROWSERS.find(([part]) => userAgent.includes(part))?.[1];
  const system = SYSTEMS.find(([part]) => userAgent.includes(part))?.[1];
  if (browser === undefined || !userAgent.startsWith("Mozilla/5.0 (")) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
