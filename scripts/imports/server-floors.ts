import { posix } from "node:path";

/**
 * The folders and files of `server/`, from the ground up. Each imports from the floors below it, and from no other room of its
 * own floor.
 */
const FLOORS = [
  ["log.ts", "grouped-records.ts", "read-turns.ts", "sdk-package.ts", "security-txt.ts"],
  ["counters/", "refused-targets.ts", "reference/"],
  ["services.ts", "docs/"],
  ["context.ts", "docs/search/"],
  ["http/"],
  ["auth/", "listen/", "lists/", "overview/", "security/"],
  ["rate-limit/"],
  ["page-ctx.ts"],
  ["routes/"],
  [
    ...["admin/", "api-keys/", "billing/", "health/", "identities/", "notices/", "packages/"],
    ...["recurrences/", "relay-settings/", "schedules/", "sign-in/", "signing-secrets/"],
  ],
  ["find/", "logs/", "me/", "operations/", "trial/"],
  ["edge/"],
  ["start.ts"],
];

/** What any of them may import besides. */
const ALL = ["#domain/", "#contract/", "#db/", "#config.ts", "#mail/", "zod", "node:"];

/** What only some know. */
const SOME = new Map<string, readonly string[]>([
  ["auth/", ["next-auth", "@auth/core", "@auth/drizzle-adapter", "jose", "next"]],
  ["billing/", ["#billing/"]],
  ["log.ts", ["pino"]],
  ["me/", ["#billing/"]],
  ["packages/", ["tar-stream"]],
  ["reference/", ["#package.json"]],
  ["sdk-package.ts", ["#sdk/package.json"]],
]);

export const SERVER_ROOMS = FLOORS.flat();

/** A row for each folder and file of `server/`; those of one floor that may import the same share theirs. */
export function serverRows() {
  const rows = new Map<string, { files: string[]; may: string[]; own: boolean }>();
  for (const [at, floor] of FLOORS.entries()) {
    for (const room of floor) {
      const below = FLOORS.slice(0, at).flat();
      const may = [...ALL, ...(SOME.get(room) ?? []), ...below.map((lower) => pathTo(lower, folderOf(room)))];
      const files = isFolder(room) ? `server/${room}**` : `server/${room}`;
      const key = may.join();
      const row = rows.get(key);
      rows.set(key, { files: [...(row?.files ?? []), files], may, own: isFolder(room) });
    }
  }
  return [...rows.values()];
}

const isFolder = (room: string) => room.endsWith("/");
const folderOf = (room: string) => (isFolder(room) ? room : ".");

function pathTo(room: string, from: string): string {
  const path = posix.relative(from, room);
  const relative = path.startsWith("..") ? path : `./${path}`;
  return isFolder(room) ? `${relative}/` : relative;
}
