import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const STAGES = "{admission,claiming,connections,delivery,intake,rates,recording,runtime,sending}";
/** A constant of a file that is a number: one stands in it before any text, call or list. */
const NUMBER = /^(?:export )?const [A-Z][A-Z0-9_]*(?:: \w+)? = (?!\/)[^"'`[{(]*\d/;
const TUNED = /^ {2}\w+: /;

it("a number of a stage is in tuning/, or says that something fixes it, that it bounds memory, or what it guards", () => {
  const stray = globSync(`dispatcher/${STAGES}/*.ts`).flatMap((file) =>
    numbersOf(file, NUMBER).filter(({ comment }) => !/\b(Fixed by|Bounds memory|Guards)\b/.test(comment)),
  );
  expect(stray).toEqual([]);
});

it("a tuned number says by what it was measured, or is among those that were varied in the simulation", () => {
  const varied = readFileSync("dispatcher/tuning/README.md", "utf8");
  const tuned = globSync("dispatcher/tuning/*.ts").flatMap((file) => numbersOf(file, TUNED));
  const isVaried = ({ at }: { at: string }) => new RegExp(`\\b${/ (\w+): /.exec(at)?.[1]}\``).test(varied);
  expect(tuned.filter((one) => !one.comment.includes("Source: ") && !isVaried(one))).toEqual([]);
  expect(tuned.length).toBeLessThanOrEqual(120);
});

/** The lines of `file` that are `which`, each with the last comment above it that belongs to it or to the ones before. */
function numbersOf(file: string, which: RegExp): { at: string; comment: string }[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, n) => {
    if (!which.test(line)) return [];
    const above = lines.slice(0, n);
    while (which.test(above.at(-1) ?? "")) above.pop();
    const begin = above.findLastIndex((one) => one.trimStart().startsWith("/**"));
    const isBelow = above.at(-1)?.trimEnd().endsWith("*/") ?? false;
    return [{ at: `${file}: ${line.trim()}`, comment: isBelow ? above.slice(begin).join("\n") : "" }];
  });
}
