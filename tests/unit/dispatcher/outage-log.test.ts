import pino from "pino";
import { describe, expect, it } from "vitest";
import { DatabaseUnavailable } from "#db/client.ts";
import { OutageLog } from "#dispatcher/observability/outage-log.ts";
import type { DatabaseFault } from "#domain/database-fault.ts";

function open() {
  let atMs = 0;
  const lines: { fault: string; code?: string; cause: string; msg: string }[] = [];
  const counted: DatabaseFault[] = [];
  const log = new OutageLog({
    log: pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) }),
    monotonic: () => atMs,
    onFault: (fault) => counted.push(fault),
  });
  const at = (ms: number) => {
    atMs = ms;
  };
  return { log, lines, counted, at };
}

const full = () => new DatabaseUnavailable(Object.assign(new Error("no space"), { code: "53100" }), "disk_full");
const slow = () => new DatabaseUnavailable(new Error("slow"), "timeout");

describe("the log of a dispatcher", () => {
  it("says which fault the database has, with code and text of the server", () => {
    const { log, lines } = open();
    log.report(full());
    expect(lines).toMatchObject([
      {
        level: 40,
        fault: "disk_full",
        code: "53100",
        cause: "no space",
        msg: "The database cannot store anything right now: its disk is full. An operator has to free space or enlarge the disk.",
      },
    ]);
  });

  it("has one line a second, in which a rare fault has its turn beside a frequent one", () => {
    const { log, lines, counted, at } = open();
    for (let ms = 0; ms < 3_000; ms += 10) {
      at(ms);
      log.report(slow());
      if (ms === 500) log.note(full());
    }
    expect(lines.map(({ fault }) => fault)).toEqual(["timeout", "timeout", "disk_full"]);
    expect(counted.filter((fault) => fault === "disk_full")).toHaveLength(1);
    expect(counted).toHaveLength(301);
  });

  it("counts an error once that the connection and the loop report", () => {
    const { log, lines, counted, at } = open();
    const error = full();
    log.note(error);
    at(2_000);
    log.report(error);
    expect(counted).toEqual(["disk_full"]);
    expect(lines).toHaveLength(1);
  });
});
