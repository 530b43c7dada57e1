import { sdkClientCode, sdkFields, writeFields, writeLiteral } from "#domain/sdk-code.ts";
import { SDK_NAME } from "../sdk-package.ts";

/** The call of an operation by the SDK, as JavaScript. `body` is the operation's example. Null without a method for it. */
export function sdkSampleOf(operationId: string, body: unknown): string | null {
  const call = CALLS.get(operationId);
  return call === undefined ? null : `${sdkClientCode(SDK_NAME)}\n${call((body ?? {}) as Body)}\n`;
}

type Body = Record<string, unknown>;

const SCHEDULE = '"sch_…"';
const KEY = '"cart-1234"';
const RECURRENCE = '"daily-report"';
const OPERATION = '"op_…"';

const CALLS = new Map<string, (body: Body) => string>(
  Object.entries({
    createSchedule: (body) => result("created", "schedules.create", input(body)),
    createSchedulesBulk: ({ schedules }) => result("result", "schedules.createMany", writeItems(schedules as Body[])),
    listSchedules: () => everyPage("schedule", "schedules.list"),
    getSchedule: () => result("schedule", "schedules.get", SCHEDULE),
    listAttempts: () => result("attempts", "schedules.attempts", SCHEDULE),
    rescheduleSchedule: (body) => result("schedule", "schedules.reschedule", SCHEDULE, input(body)),
    cancelSchedule: () => result("schedule", "schedules.cancel", SCHEDULE),
    fireSchedule: () => result("schedule", "schedules.fire", SCHEDULE),
    replaySchedule: (body) => result("created", "schedules.replay", SCHEDULE, input(body)),
    cloneSchedule: (body) => result("created", "schedules.clone", SCHEDULE, input(body, { keepsHeaders: true })),
    putScheduleByKey: (body) => result("stored", "schedules.put", KEY, input(body)),
    getScheduleByKey: () => result("schedule", "schedules.getByKey", KEY),
    cancelScheduleByKey: () => result("schedule", "schedules.cancelByKey", KEY),
    putRecurrence: (body) => result("recurrence", "recurrences.put", RECURRENCE, input(body)),
    listRecurrences: () => everyPage("recurrence", "recurrences.list"),
    getRecurrence: () => result("recurrence", "recurrences.get", RECURRENCE),
    deleteRecurrence: () => result("deleted", "recurrences.delete", RECURRENCE),
    pauseRecurrence: (body) => result("recurrence", "recurrences.pause", RECURRENCE, input(body)),
    resumeRecurrence: () => result("recurrence", "recurrences.resume", RECURRENCE),
    startOperation: (body) => result("operation", "operations.start", input(body)),
    listOperations: () => everyPage("operation", "operations.list"),
    getOperation: () => result("operation", "operations.get", OPERATION),
    stopOperation: () => result("operation", "operations.stop", OPERATION),
    listLogs: () => everyPage("attempt", "logs.list"),
    getOverview: () => result("overview", "overview", writeLiteral({ period: "7d" })),
    getUsage: () => result("usage", "usage"),
    getPunctuality: () => result("punctuality", "punctuality"),
    getSigningSecrets: () => result("secrets", "signingSecrets.get"),
    rotateSigningSecrets: () => result("secrets", "signingSecrets.rotate"),
    getProfile: () => result("profile", "me"),
  } satisfies Record<string, (body: Body) => string>),
);

function input(body: Body, given?: { keepsHeaders: boolean }): string {
  return writeFields(sdkFields(body, given));
}

function writeItems(items: readonly Body[]): string {
  return `[\n${items.map((item) => `  ${writeFields(sdkFields(item), "  ")},\n`).join("")}]`;
}

function result(name: string, method: string, ...inputs: string[]): string {
  return `const ${name} = await client.${method}(${inputs.join(", ")});\nconsole.log(${name});`;
}

/** All items of a list. */
function everyPage(item: string, method: string): string {
  return `// All pages, one after the other. Awaited, the list is its first page.
for await (const ${item} of client.${method}()) {
  console.log(${item});
}`;
}
