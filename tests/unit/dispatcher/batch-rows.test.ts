import { expect, it } from "vitest";
import { FIRST_ROWS, ROWS_MIN, rowsAfterBatch, rowsAfterTimeout } from "#dispatcher/retention/batch-rows.ts";

it("batches of retention grow while they are fast, up to a bound, and halve when they are slow, down to another", () => {
  let rows = FIRST_ROWS;
  for (let n = 0; n < 20; n++) rows = rowsAfterBatch(rows, 1);
  expect(rows).toBe(3_200);
  expect(rowsAfterBatch(rows, 40)).toBe(rows);
  expect(rowsAfterBatch(rows, 100)).toBe(1_600);
  for (let n = 0; n < 20; n++) rows = rowsAfterTimeout(rows);
  expect(rows).toBe(ROWS_MIN);
});
