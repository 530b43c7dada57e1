import { afterEach, expect, it } from "vitest";
import { type DueStage, DueWork } from "#dispatcher/runtime/due-work.ts";

let work: DueWork;
afterEach(() => work.close());

it("the first stage runs at once; the other stages run once, after the writes that it began", async () => {
  work = new DueWork({ isSet: () => true, monotonicAt: (instantMs) => instantMs });
  const done: string[] = [];
  const stage = (name: string, begin?: () => void): DueStage => ({
    runDue() {
      done.push(name);
      begin?.();
      return Number.POSITIVE_INFINITY;
    },
  });
  const write = () => setImmediate(() => done.push("written"));
  work.setStages(stage("send", write), stage("rates"), stage("due"));
  work.run();
  expect(done).toEqual(["send"]);
  work.run();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(["send", "send", "written", "rates", "due", "written"]);
});
