import { expect, it } from "vitest";
import { pgArray, pgTextArray } from "#db/pg-array.ts";
import { newId } from "#domain/ids.ts";
import { createLaneBench } from "./lane-bench.ts";

it("a bulk create of a web process from before migration 0015 stores the same sealed contents", async () => {
  const bench = await createLaneBench();
  const accountId = await bench.account();
  const ids = [newId(Date.now()), newId(Date.now()), newId(Date.now())];
  const contents = [Buffer.from("first"), null, Buffer.from("the third")];
  const each = (value: string) => pgTextArray(ids.map(() => value));
  const rows = await bench.web`
    SELECT outcome FROM create_schedules(
      ${accountId}::uuid, 'live', NULL, NULL, false, 1000, 1000, ${pgArray(ids)}::text::uuid[],
      ${pgArray(ids.map(() => null))}::text::timestamptz[], ${pgArray(ids.map(() => null))}::text::boolean[],
      ${each("https://a.example/")}::text::text[], ${each("https://a.example")}::text::text[], ${each("POST")}::text::text[],
      ${pgTextArray(contents.map((one) => one?.toString("base64") ?? null))}::text::text[],
      ${pgArray(contents.map((one) => one?.length ?? 0))}::text::integer[], ${pgArray([5, 0, 9])}::text::integer[],
      ${pgTextArray(ids.map(() => null))}::text::text[], ${each("aGFzaA==")}::text::text[],
      ${pgArray(ids.map(() => null))}::text::uuid[], ${pgArray(ids.map(() => "false"))}::text::boolean[],
      '{}', true)`;
  expect(rows.map(({ outcome }) => outcome)).toEqual(["created", "created", "created"]);
  const stored =
    await bench.web`SELECT sealed FROM schedule_requests WHERE account_id = ${accountId} ORDER BY schedule_id`;
  expect(stored.map(({ sealed }) => sealed)).toEqual(contents);
  await bench.close();
});
