import type { ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preciseNow } from "#scripts/lab/clock.ts";
import { startProgram } from "#scripts/lab/program.ts";
import type { DatabaseProxy } from "#scripts/lab/proxy.ts";
import { NODE_FLAGS, START_ENV } from "../../dispatcher/node-flags.ts";
import { pause } from "../helpers/time.ts";
import type { Audit, Lifetime } from "./evidence.ts";

export type Fleet = ReturnType<typeof createFleet>;

type Slot = { proxy: DatabaseProxy; databaseUrl: string; current: ChildProcess | null };

/** `npm run dispatcher` gives up on hanging requests 34 s after SIGTERM. */
const STOP_MS_MAX = 45_000;
const AUDIT_MS_MAX = 5_000;
const FLAGS = [...NODE_FLAGS, "--import", "./tests/helpers/loopback-names.ts"];

/**
 * The dispatchers under test. They are real processes, one per slot, and each reaches the database through the proxy of
 * its slot. Their logs go to `logDir`. `troubles` lists what a process must not do, such as ending by itself or logging
 * an error.
 */
export function createFleet(wanted: {
  slots: { proxy: DatabaseProxy; databaseUrl: string }[];
  settings: Record<string, string>;
  logDir: string;
}) {
  const slots: Slot[] = wanted.slots.map((slot) => ({ ...slot, current: null }));
  const living = new Map<ChildProcess, Promise<void>>();
  const lifetimes: Lifetime[] = [];
  const troubles: string[] = [];
  const audits: Audit[] = [];
  const unanswered = new Map<ChildProcess, number>();
  const expected = new Set<ChildProcess>();

  const start = (index: number): void => {
    const slot = slots[index] as Slot;
    const env = { ...START_ENV, ...wanted.settings, DATABASE_URL: slot.databaseUrl, DISPATCHER_PORT: "0" };
    const { child, ended } = startProgram([...FLAGS, "dispatcher/main.ts"], {
      cwd: ROOT,
      env: env as unknown as NodeJS.ProcessEnv,
      isApart: true,
      output(line) {
        log.write(`${line}\n`);
        const mistake = mistakeIn(line);
        if (mistake) troubles.push(`dispatcher ${index} (process ${child.pid}) logged: ${mistake}`);
      },
    });
    const log = createWriteStream(join(wanted.logDir, `dispatcher-${index}-${child.pid}.log`));
    child.on("message", ({ drift }: { drift: string[] }) => {
      unanswered.set(child, (unanswered.get(child) ?? 0) - 1);
      audits.push({ pid: child.pid as number, slot: index, atMs: preciseNow(), drift });
    });
    slot.current = child;
    const lifetime = { pid: child.pid as number, slot: index, fromMs: preciseNow(), untilMs: Number.POSITIVE_INFINITY };
    lifetimes.push(lifetime);
    const whenEnded = (how: string) => {
      living.delete(child);
      lifetime.untilMs = preciseNow();
      log.end();
      if (!expected.has(child) || (child.signalCode === null && child.exitCode !== 0))
        troubles.push(`dispatcher ${index} (process ${child.pid}) ended with ${how}`);
      // Starts it again, as a supervisor would.
      if (!expected.has(child) && slot.current === child) start(index);
    };
    living.set(child, ended.then(whenEnded));
  };

  /** Asks every process for an audit. A stopped process answers once it continues, a killed one never. */
  const audit = () => {
    for (const child of living.keys()) {
      if (!child.connected) continue;
      unanswered.set(child, (unanswered.get(child) ?? 0) + 1);
      child.send("audit", () => {});
    }
  };

  const signal = (index: number, name: NodeJS.Signals) => {
    const child = slots[index]?.current;
    child?.kill(name);
    return child?.pid ?? null;
  };

  const stop = async (child: ChildProcess) => {
    expected.add(child);
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    const timer = setTimeout(() => {
      troubles.push(`process ${child.pid} had not stopped ${STOP_MS_MAX / 1000} s after SIGTERM`);
      child.kill("SIGKILL");
    }, STOP_MS_MAX);
    await living.get(child);
    clearTimeout(timer);
  };

  return {
    start,
    /** Each returns the id of the process that it hit. `terminate` does not wait until the process has ended. */
    kill(index: number) {
      const child = slots[index]?.current;
      if (child) expected.add(child);
      return signal(index, "SIGKILL");
    },
    terminate(index: number) {
      const child = slots[index]?.current;
      if (child) void stop(child);
      return child?.pid ?? null;
    },
    pause: (index: number) => signal(index, "SIGSTOP"),
    resume: (index: number) => signal(index, "SIGCONT"),
    proxy: (index: number) => (slots[index] as Slot).proxy,
    /** The lifetimes of all processes, former ones included. */
    lifetimes,
    pids: () => [...living.keys()].map(({ pid }) => pid as number),
    troubles,
    audit,
    audits,
    /** Asks every process for a last audit, and waits until all have answered. */
    async finishAudits() {
      audit();
      const pending = () => [...living.keys()].filter((child) => (unanswered.get(child) ?? 0) > 0);
      const end = performance.now() + AUDIT_MS_MAX;
      while (pending().length > 0 && performance.now() < end) await pause(20);
      for (const child of pending()) troubles.push(`process ${child.pid} did not answer an audit`);
    },
    /** Asks every process to stop, and waits until all have stopped. */
    async stop() {
      await Promise.all([...living.keys()].map(stop));
    },
    /** Kills every process at once. */
    killAll() {
      for (const child of living.keys()) {
        expected.add(child);
        child.kill("SIGKILL");
      }
    },
  };
}

/**
 * Returns the message of a log line of level error or above, and a line that is not a log line at all. Either is a
 * fault of the program.
 */
function mistakeIn(line: string): string | undefined {
  try {
    const { level, msg, err } = JSON.parse(line);
    return level >= 50 ? `${msg}${err ? ` (${err.message})` : ""}` : undefined;
  } catch {
    return line;
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
