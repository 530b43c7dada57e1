import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { TARGET } from "../api/api.ts";
import { plaintextOf } from "../api/stored-content.ts";
import { expectRefused } from "./bad-input.ts";
import { type CliService, startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: CliService;
const folder = emptyFolder();
beforeAll(async () => {
  service = await startCliService();
  writeFileSync(join(folder, "body.json"), '{ "order": 12345678901234567890 }\n');
  writeFileSync(join(folder, "latin1.txt"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  writeFileSync(join(folder, "large.txt"), "x".repeat(51_201));
  writeFileSync(join(folder, "huge.txt"), "x".repeat(2_097_153));
});
afterAll(() => service?.stop());

it("schedules a request after a duration, and prints its id and its time here", async () => {
  const { run, get } = await service.account();
  const { code, stdout, stderr } = await run(["schedule", TARGET, "--in", "30m"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [, id = "", time = ""] =
    /^id +(sch_\w+)\nstatus +scheduled\ndue +(\S+ \S+ \+0\d:00) \(Europe\/Berlin\)\n$/.exec(stdout) ?? [];
  const { fire_at } = await get(id);
  expect(Date.parse(fire_at) - Date.now()).toBeCloseTo(1_800_000, -5);
  expect(Date.parse(time.replace(" ", "T").replace(" ", ""))).toBe(Date.parse(fire_at));
});

it.each([
  ["a local time and its zone", ["--at", "2031-03-31T09:00", "--tz", "Europe/Berlin"], "2031-03-31T07:00:00.000Z"],
  ["an instant", ["--at", "2031-03-31T09:00:00+02:00"], "2031-03-31T07:00:00.000Z"],
  [
    "the second of two equal local times",
    ["--at", "2031-10-26T02:30", "--tz", "Europe/Berlin", "--on-clock-change", "second"],
    "2031-10-26T01:30:00.000Z",
  ],
])("schedules a request at %s", async (_, time, fire_at) => {
  const { run } = await service.account();
  const { code, json } = await run(["schedule", TARGET, "--output", "json", ...time]);
  expect(code).toBe(0);
  expect(json()).toMatchObject([{ status: "scheduled", fire_at }]);
});

describe("sends, byte for byte,", () => {
  it.each([
    ["JSON of an option", ["--json", '{"a": 1.0}'], "", '{"a": 1.0}', { "Content-Type": "application/json" }],
    [
      "JSON of a file, with its numbers and its line break",
      ["--json", `@${join(folder, "body.json")}`],
      "",
      '{ "order": 12345678901234567890 }\n',
      { "Content-Type": "application/json" },
    ],
    ["text of stdin, with its byte order mark", ["--payload", "-"], "\ufeffé\r\n", "\ufeffé\r\n", {}],
    [
      "headers as they are written, and no second Content-Type",
      ["--json", "1", "--header", "content-TYPE: text/x", "--header", "X-Empty:"],
      "",
      "1",
      { "content-TYPE": "text/x", "X-Empty": "" },
    ],
  ])("%s", async (_, args, stdin, payload, headers) => {
    const { run } = await service.account();
    const { code, json } = await run(["schedule", TARGET, "--in", "1h", "-o", "json", ...args], { stdin });
    expect(code).toBe(0);
    expect(await plaintextOf(service.api, json()[0]?.id as string)).toEqual({
      payload,
      headers: Object.entries(headers),
    });
  });
});

it("makes nothing a second time for the same --key-for-once, and ends with 1 when it stands for another request", async () => {
  const { run } = await service.account();
  const args = ["schedule", TARGET, "--in", "1h", "--key-for-once", "order-7", "--output", "json"];
  const [first] = (await run(args)).json();
  const again = await run(args);
  expect([again.code, again.json()[0]]).toEqual([0, { ...first, replayed: true }]);
  const other = await run([...args, "--payload", "other"]);
  expect([other.code, other.json()[0]?.id]).toEqual([1, first?.id]);
  expect(other.stderr).toContain("stands for another request");
});

it("sends early or not, and by the method, as it is told", async () => {
  const { run, get } = await service.account();
  const [early] = (
    await run(["schedule", TARGET, "--in", "1h", "--early-fire", "--method", "PUT", "-o", "json"])
  ).json();
  expect(await get(early?.id as string)).toMatchObject({ early_fire: true, method: "PUT" });
});

it("names the option of a field that the service refuses, with 2", async () => {
  const { run } = await service.account();
  const { code, stderr } = await run(["schedule", TARGET, "--at", "2031-03-30T09:00", "--tz", "Mars/Base"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/\n {2}--tz \(timezone\): .+\n {2}Fix: .+\n {2}Request id: \S+\n$/);
});

describe("ends with 2, names the option, shows an example, and makes nothing:", () => {
  it.each([
    ["no duration", ["--in", "5x"], '--in must be a duration, such as "90s"'],
    ["a local time without its zone", ["--at", "2026-03-29T09:00"], "--at needs an offset, or --tz"],
    [
      "a file in another encoding",
      ["--in", "5m", "--payload", `@${join(folder, "latin1.txt")}`],
      "--payload must be UTF-8",
    ],
    [
      "a file that the plan does not allow",
      ["--in", "5m", "--payload", `@${join(folder, "large.txt")}`],
      "--payload has 51201 bytes, and the plan allows 51200",
    ],
    [
      "a file that no plan allows",
      ["--in", "5m", "--json", `@${join(folder, "huge.txt")}`],
      "--json is longer than 2097152 bytes",
    ],
    ["the API's word for a time", ["--fireIn", "5m"], "(Did you mean --in?)"],
    ["a key of the API", ["--in", "5m", "--api-key", "sw_test_1"], "unknown option '--api-key'"],
  ])("%s", async (_, args, problem) => {
    await expectRefused(service, ["schedule", TARGET, ...args], problem);
  });
});
