import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { countRunTime } from "../../helpers/run-time.ts";
import { pause } from "../../helpers/time.ts";

/** The processor time of this process since `before`, ms. */
const usedMs = (before: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

describe("the time in which a process ran", () => {
  it("is all of it while it waits", async () => {
    const sinceMs = performance.now();
    const ran = countRunTime();
    for (let n = 0; n < 20; n++) await pause(10);
    const ranMs = ran();
    expect(ranMs).toBeGreaterThan(100);
    expect(ranMs).toBeLessThanOrEqual(performance.now() - sinceMs);
  });

  it("is all of it while it computes", () => {
    const before = process.cpuUsage();
    const ran = countRunTime();
    while (usedMs(before) < 400);
    expect(ran()).toBeGreaterThan(300);
  });

  it("has a pause of the whole process for 100 ms", async () => {
    const ran = countRunTime();
    const resumer = spawn("sh", ["-c", `kill -STOP ${process.pid}; sleep 1; kill -CONT ${process.pid}`]);
    await once(resumer, "close");
    expect(ran()).toBeLessThan(800);
  });
});
