import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseLong, nextTurn, TURNS } from "../../gate/choose-long.ts";

const file = (name: string, guards: string[], seconds = 10) => ({ file: name, guards, seconds });
const none = { changed: [], sources: ["a/x.ts", "a/y.ts", "b/z.ts"], landing: 0 };

describe("the long files of a landing", () => {
  const files = fc
    .array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 150 })
    .map((seconds) => seconds.map((one, n) => file(`t${n}`, [], one)));

  it("are each chosen in exactly one of as many landings as there are turns, whatever changes", () => {
    fc.assert(
      fc.property(files, fc.nat({ max: 1_000 }), (all, from) => {
        const landings = Array.from({ length: TURNS }, (_, n) => from + n);
        const chosen = landings.flatMap((landing) => chooseLong(all, { ...none, landing }).map((one) => one.file));
        expect(chosen.toSorted()).toEqual(all.map((one) => one.file).toSorted());
      }),
    );
  });

  it("have their next turn in the landing that is named for it", () => {
    fc.assert(
      fc.property(files, fc.nat({ max: 1_000 }), (all, landing) => {
        for (const one of all) {
          const next = nextTurn(all, one.file, landing);
          expect(next).toBeGreaterThan(landing);
          expect(next).toBeLessThanOrEqual(landing + TURNS);
          expect(chooseLong(all, { ...none, landing: next }).map(({ file: name }) => name)).toContain(one.file);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("take about as long in each landing", () => {
    const all = Array.from({ length: 115 }, (_, n) => file(`t${n}`, [], 12 + ((n * 37) % 120)));
    const mean = all.reduce((sum, { seconds }) => sum + seconds, 0) / TURNS;
    for (let landing = 0; landing < TURNS; landing++) {
      const took = chooseLong(all, { ...none, landing }).reduce((sum, { seconds }) => sum + seconds, 0);
      expect(Math.abs(took - mean)).toBeLessThan(60);
    }
  });

  it("are those of this turn, then those that changed, then those that guard what changed, the narrowest first", () => {
    const all = [file("wide", ["**"]), file("narrow", ["a/x.ts"]), file("other", ["b/**"]), file("own", ["b/**"])];
    const turn = all.map((one) => nextTurn(all, one.file, 0));
    const landing = TURNS * 2 + [...Array(TURNS).keys()].findIndex((n) => !turn.some((of) => of % TURNS === n));
    const chosen = chooseLong(all, { ...none, changed: ["a/x.ts", "own"], landing });
    expect(chosen.map(({ file: name, reason }) => [name, reason])).toEqual([
      ["own", "changed"],
      ["narrow", "guarded"],
      ["wide", "guarded"],
    ]);
    const [first] = chooseLong(all, { ...none, changed: ["a/x.ts"], landing: nextTurn(all, "other", 0) });
    expect(first).toMatchObject({ file: "other", reason: "turn" });
  });
});
