import { describe, expect, it } from "vitest";
import { AT_ONCE } from "../../gate/at-once.ts";
import type { Chosen } from "../../gate/choose-long.ts";
import { runLong } from "../../gate/long-run.ts";
import { UNFINISHED } from "../../gate/test-run.ts";
import type { FileResult } from "../../gate/verdict.ts";

type Project = keyof typeof AT_ONCE;
const chosen = (file: string, seconds: number, reason: Chosen["reason"] = "guarded"): Chosen => ({
  file,
  seconds,
  reason,
  guards: [],
});
const passed = (file: string): FileResult => ({
  file,
  project: "",
  seconds: 1,
  passed: 1,
  notRun: 0,
  failures: [],
  notJudged: [],
  slow: [],
});

/** Runs files on a clock of its own, on which each batch takes what `tookS` says. */
async function run(
  files: Chosen[],
  budgetS: number,
  { project = "long-timed" as Project, slowness = 1, tookS = sum } = {},
) {
  let nowS = 0;
  const batches: string[][] = [];
  const { results, left } = await runLong(files, {
    projectOf: () => project,
    cancel: () => {},
    async run(names) {
      batches.push([...names]);
      nowS += tookS(files.filter(({ file }) => names.includes(file)));
      return names.map(passed);
    },
    usedS: () => nowS,
    budgetS,
    slowness,
  });
  return { ran: results.map(({ file }) => file), left: left.map(({ file }) => file), batches, nowS };
}
const sum = (files: readonly Chosen[]) => files.reduce((total, { seconds }) => total + seconds, 0);

describe("a budget of seconds", () => {
  it("is never exceeded when files take what they took before, and what did not fit is returned", async () => {
    const files = Array.from({ length: 30 }, (_, n) => chosen(`f${n}`, 20 + n));
    const { ran, left, nowS } = await run(files, 300);
    expect(nowS).toBeLessThanOrEqual(300);
    expect(nowS).toBeGreaterThan(250);
    expect([...ran, ...left].toSorted()).toEqual(files.map(({ file }) => file).toSorted());
  });

  it("has at most two fifths for the turn, so that what changed is run as well", async () => {
    const turn = Array.from({ length: 10 }, (_, n) => chosen(`t${n}`, 30, "turn"));
    const { ran } = await run([...turn, chosen("a", 100)], 300);
    expect(ran).toEqual(["t0", "t1", "t2", "t3", "a"]);
  });

  it("counts for less on a slow machine", async () => {
    expect((await run([chosen("a", 60)], 100, { slowness: 2 })).left).toEqual(["a"]);
  });

  it("runs files that mostly wait at once, and files that measure time one by one", async () => {
    const files = Array.from({ length: 8 }, (_, n) => chosen(`f${n}`, 20));
    const tookS = (batch: readonly Chosen[]) => sum(batch) / AT_ONCE["long-waiting"];
    expect((await run(files, 60, { project: "long-waiting", tookS })).ran).toHaveLength(8);
    expect((await run(files, 60)).ran).toHaveLength(3);
  });
});

describe("a file that had not ended when the time was over", () => {
  /** It had run for so many seconds when the time was over, after 200 s. */
  const endAfter = async (seconds: number) => {
    let nowS = 0;
    return runLong([chosen("a", 20)], {
      projectOf: () => "long-timed",
      cancel: () => {},
      async run(names) {
        nowS = 200;
        const failures = [{ test: "(the file)", text: UNFINISHED }];
        return names.map((name) => ({ ...passed(name), seconds, failures }));
      },
      usedS: () => nowS,
      budgetS: 100,
      slowness: 1,
    });
  };

  it.each([0, 100])("counts as not run when it had run for %i s, however long the others had", async (seconds) => {
    expect(await endAfter(seconds)).toMatchObject({ results: [], left: [{ file: "a" }] });
  });

  it("is red when it took six times longer than it ever does", async () => {
    expect(await endAfter(121)).toMatchObject({ results: [{ file: "a" }], left: [] });
  });
});
