import { expect, it } from "vitest";
import { foldAttempts } from "#domain/fold-attempts.ts";

const attempt = (n: number, statusCode: number | null, errorText = "") => ({ n, statusCode, errorText });

it("only consecutive attempts with the same code and the same text are one group", () => {
  const attempts = [
    attempt(1, 503, "closed"),
    attempt(2, 503, "closed"),
    attempt(3, 503, "still closed"),
    attempt(4, null, "no answer within 30 s"),
    attempt(5, null, "no answer within 30 s"),
    attempt(6, 503, "closed"),
    attempt(7, 200),
  ];
  const groups = foldAttempts(attempts);
  expect(groups.map(({ first, last, attempts: all }) => [first.n, last.n, all.length])).toEqual([
    ...[
      [1, 2, 2],
      [3, 3, 1],
      [4, 5, 2],
      [6, 6, 1],
      [7, 7, 1],
    ],
  ]);
  expect(groups.flatMap(({ attempts: all }) => all)).toEqual(attempts);
  expect(foldAttempts([])).toEqual([]);
});
