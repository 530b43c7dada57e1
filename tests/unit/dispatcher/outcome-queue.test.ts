import { expect, it } from "vitest";
import { OutcomeQueue } from "#dispatcher/recording/outcome-queue.ts";

type One = { owner: string; n: number };

function start() {
  let nowMs = 0;
  const queue = new OutcomeQueue<One>({ ownerOf: ({ owner }) => owner, monotonic: () => nowMs });
  const locked = new Set<One>();
  const written: One[] = [];
  return {
    queue,
    locked,
    written,
    pass(ms: number) {
      nowMs += ms;
    },
    add: (owner: string, count: number) =>
      Array.from({ length: count }, (_, n) => {
        const one = { owner, n };
        queue.add(one);
        return one;
      }),
    /** Tries batches until none may be tried. Returns how many failed. */
    run(max = 500): number {
      let failed = 0;
      for (let batch = queue.take(max); batch; batch = queue.take(max)) {
        if (batch.some((one) => locked.has(one))) {
          failed++;
          queue.split(batch);
        } else {
          written.push(...batch);
          queue.written(batch);
        }
      }
      return failed;
    },
  };
}

it("while one outcome of 500 is locked, those of all other accounts are written after at most ten failures", () => {
  const { add, locked, run, written, queue } = start();
  const all = Array.from({ length: 100 }, (_, n) => add(`account ${n}`, 5)).flat();
  const one = all[237] as One;
  locked.add(one);
  expect(run()).toBeLessThanOrEqual(10);
  expect(all.filter(({ owner }) => owner !== one.owner).every((other) => written.includes(other))).toBe(true);
  expect(queue.size).toBeLessThanOrEqual(5);
});

it("the others of its account are written within some seconds, and it is once it is free", () => {
  const { add, locked, run, written, queue, pass } = start();
  const all = add("a", 40);
  locked.add(all[7] as One);
  for (let second = 0; second < 20; second++) {
    run();
    pass(1_000);
  }
  expect(written).toHaveLength(39);
  expect(queue.all()).toEqual([all[7]]);
  locked.clear();
  run();
  expect(written).toHaveLength(40);
  expect(queue.size).toBe(0);
});

it("what comes for an account of which something is locked holds up no batch of others", () => {
  const { add, locked, run, written } = start();
  const [first] = add("locked", 1);
  locked.add(first as One);
  run();
  for (let n = 0; n < 10; n++) {
    locked.add(add("locked", 1)[0] as One);
    add("other", 10);
    expect(run()).toBe(0);
  }
  expect(written.filter(({ owner }) => owner === "other")).toHaveLength(100);
});

it("after a lock that held up a whole account, all its outcomes are written at once", () => {
  const { add, locked, run, written, pass } = start();
  for (const one of add("a", 64)) locked.add(one);
  for (let second = 0; second < 30; second++) {
    run();
    pass(1_000);
  }
  expect(written).toEqual([]);
  locked.clear();
  run();
  expect(written).toHaveLength(64);
});

it("a batch that is put back comes first again, in its order", () => {
  const { add, queue } = start();
  const all = add("a", 3);
  const batch = queue.take(2) as One[];
  queue.putBack(batch);
  expect(queue.take(3)).toEqual(all);
});
