import type { Verb } from "./verb.ts";
import { attempts } from "./verbs/attempts.ts";
import { cancel } from "./verbs/cancel.ts";
import { clone } from "./verbs/clone.ts";
import { completion } from "./verbs/completion.ts";
import { cron } from "./verbs/cron.ts";
import { doctor } from "./verbs/doctor.ts";
import { explain } from "./verbs/explain.ts";
import { exportSchedules } from "./verbs/export.ts";
import { get } from "./verbs/get.ts";
import { importFile } from "./verbs/import.ts";
import { list } from "./verbs/list.ts";
import { listen } from "./verbs/listen.ts";
import { login } from "./verbs/login.ts";
import { logout } from "./verbs/logout.ts";
import { logs } from "./verbs/logs.ts";
import { mcp } from "./verbs/mcp.ts";
import { punctuality } from "./verbs/punctuality.ts";
import { recurrences } from "./verbs/recurrences.ts";
import { replay } from "./verbs/replay.ts";
import { reschedule } from "./verbs/reschedule.ts";
import { rotate } from "./verbs/rotate.ts";
import { schedule } from "./verbs/schedule.ts";
import { secrets } from "./verbs/secrets.ts";
import { trigger } from "./verbs/trigger.ts";
import { usage } from "./verbs/usage.ts";
import { verify } from "./verbs/verify.ts";
import { whoami } from "./verbs/whoami.ts";

/** Every verb, in the order of `stopwatch --help` within its group. */
export const VERBS: readonly Verb<never>[] = [
  ...[login, logout, whoami],
  ...[schedule, list, get, cancel, reschedule, replay, clone, importFile, exportSchedules, cron, recurrences],
  ...[attempts, explain, logs, usage, punctuality],
  ...[listen],
  ...[trigger, verify, secrets, rotate],
  ...[doctor, completion, mcp],
];
