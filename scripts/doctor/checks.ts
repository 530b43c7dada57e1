import type { Check } from "./check.ts";
import { baseUrl } from "./checks/base-url.ts";
import { clock } from "./checks/clock.ts";
import { connections } from "./checks/connections.ts";
import { database } from "./checks/database.ts";
import { disk } from "./checks/disk.ts";
import { dispatchers } from "./checks/dispatchers.ts";
import { extensions } from "./checks/extensions.ts";
import { incarnation } from "./checks/incarnation.ts";
import { keys } from "./checks/keys.ts";
import { mail } from "./checks/mail.ts";
import { partitions } from "./checks/partitions.ts";
import { pooler } from "./checks/pooler.ts";
import { proxies } from "./checks/proxies.ts";
import { retention } from "./checks/retention.ts";
import { role } from "./checks/role.ts";
import { schema } from "./checks/schema.ts";
import { server } from "./checks/server.ts";
import { settings } from "./checks/settings.ts";
import { snapshot } from "./checks/snapshot.ts";
import { version } from "./checks/version.ts";
import { writes } from "./checks/writes.ts";

/** All checks, each after those that it needs. */
export const CHECKS: readonly Check[] = [
  ...[settings, database, version, pooler, server, clock, connections, extensions, schema, role],
  ...[writes, keys, incarnation, dispatchers, partitions, retention, snapshot],
  ...[disk, mail, baseUrl, proxies],
];
