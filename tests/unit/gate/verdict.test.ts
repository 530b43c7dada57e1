import { describe, expect, it } from "vitest";
import { closingLines } from "../../gate/closing.ts";
import { type FileResult, isGreen, judge, mayRepeat } from "../../gate/verdict.ts";

function result(file: string, ...texts: string[]): FileResult {
  const failures = texts.map((text) => ({ test: `${file} works`, text }));
  return { file, project: "integration", seconds: 2, passed: 3, notRun: 1, failures, notJudged: [], slow: [] };
}

const A = "tests/integration/a.test.ts";
const UNIT = "tests/unit/b.test.ts";
const WRONG = "AssertionError: expected 1 to be 2";
const LATE = "Error: waited 180000 ms in vain: it is delivered";

describe("a failed file", () => {
  it.each([
    [A, false, [WRONG], true],
    [A, false, [LATE], true],
    [A, true, [WRONG], false],
    [A, true, [LATE], true],
    [A, true, ["Test timed out in 360000ms.", LATE], true],
    [A, true, [LATE, WRONG], false],
    [UNIT, false, [WRONG], false],
    [UNIT, false, ["Error: Hook timed out in 120000ms."], true],
  ])("%s, final: %s, with %j may be run once more: %s", (file, isFinal, texts, expected) => {
    expect(mayRepeat(result(file, ...texts), isFinal)).toBe(expected);
  });

  it("that passes when it is run once more, alone, is flaky and fails nothing", () => {
    const verdict = judge([result(A, WRONG), result(UNIT)], new Map([[A, result(A)]]));
    expect(verdict).toMatchObject({ passed: 6, notRun: 2, failed: 0, red: [], flaky: [{ file: A }] });
    expect(isGreen([verdict])).toBe(true);
  });

  it("that fails twice, or may not be run again, is red", () => {
    const twice = judge([result(A, WRONG)], new Map([[A, result(A, LATE)]]));
    expect(twice).toMatchObject({ failed: 1, red: [{ file: A, why: "twice", failures: [{ text: LATE }] }], flaky: [] });
    const once = judge([result(UNIT, WRONG)], new Map());
    expect(once).toMatchObject({ failed: 1, red: [{ file: UNIT, why: "once, not run again" }] });
    expect([twice, once].map((one) => isGreen([one]))).toEqual([false, false]);
  });
});

it("more than three flaky files are red, whichever runs they were in", () => {
  const flaky = (...files: string[]) =>
    judge(
      files.map((file) => result(file, WRONG)),
      new Map(files.map((file) => [file, result(file)])),
    );
  expect(isGreen([flaky("a", "b"), flaky("c")])).toBe(true);
  expect(isGreen([flaky("a", "b"), flaky("c", "d")])).toBe(false);
});

it("the last lines name what was flaky, red, slow, not judged and not run, and then count", () => {
  const slow = {
    ...result("s"),
    slow: ["s: waited 40000 instead of 30000 ms: x"],
    notJudged: ["s: t: 900 ms instead of 250"],
  };
  const verdict = judge(
    [result(A, `${WRONG}\n    at a.ts:1`), result(UNIT, `${WRONG}\n    at b.ts:1`), slow],
    new Map([[A, result(A)]]),
    [{ file: "tests/c.long.test.ts", why: "no time was left; its turn is landing 60" }],
  );
  expect(closingLines([verdict])).toEqual([
    "slow: s: waited 40000 instead of 30000 ms: x",
    "not judged: s: t: 900 ms instead of 250",
    "not run: tests/c.long.test.ts: no time was left; its turn is landing 60",
    `flaky: ${A} failed, and passed alone in 2 s. It failed with:`,
    `  ${A} works: ${WRONG}`,
    `red (once, not run again): ${UNIT}`,
    `  ${UNIT} works\n    ${WRONG}\n        at b.ts:1`,
    "1 flaky",
    "1 files not run, 3 tests not run",
    "9 passed, 1 failed",
  ]);
});
