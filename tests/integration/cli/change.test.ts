import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUTURE } from "../api/api.ts";
import { plaintextOf } from "../api/stored-content.ts";
import { expectRefused } from "./bad-input.ts";
import { type CliService, startCliService } from "./service.ts";

const NO_SUCH = "sch_01kxyz5n3h8q2v7c4m9t6w0b1d";
let service: CliService;
beforeAll(async () => {
  service = await startCliService();
  await service.dispatcher();
});
afterAll(() => service?.stop());

describe("cancel", () => {
  it("cancels schedules by id, goes on after one that does not exist, and ends with 1", async () => {
    const { run, create, get } = await service.account();
    const [first, last] = [await create(), await create()];
    const { code, json, stderr } = await run(["cancel", first, NO_SUCH, "-", "--json"], { stdin: `${last}\n` });
    expect(code).toBe(1);
    expect(json().map(({ id, status }) => [id, status])).toEqual([first, last].map((id) => [id, "cancelled"]));
    expect(stderr).toMatch(new RegExp(`^stopwatch: ${NO_SUCH}: .*NOT_FOUND`));
    expect((await get(last)).status).toBe("cancelled");
  });

  it("ends with 4 when none exists, or none is in a state that allows it", async () => {
    const { run, create } = await service.account();
    expect(await run(["cancel", NO_SUCH])).toMatchObject({ code: 4 });
    const sent = await create();
    await service.attempt(sent, { attemptedAt: new Date(), offsetMs: 5 });
    const { code, stderr } = await run(["cancel", sent, sent]);
    expect(code).toBe(4);
    expect(stderr).toContain("(CONFLICT)");
  });

  it("cancels all that match by one operation, and nothing else", async () => {
    const { run, create, get } = await service.account();
    const hit = await create({ targetUrl: "https://example.com/old" });
    const other = await create();
    const { code, json } = await run(["cancel", "--q", "com/old", "--yes", "--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject([{ action: "cancel", status: "done", total: 1, acted: 1, left_alone: {} }]);
    expect([(await get(hit)).status, (await get(other)).status]).toEqual(["cancelled", "scheduled"]);
  });

  it("asks before it cancels all that match, with their count and the live key; without a terminal it needs --yes", async () => {
    const { run, create, get } = await service.account("live");
    const id = await create();
    const { code, stdout, stderr } = await run(["cancel", "--status", "scheduled"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      `stopwatch: --yes is needed where there is no terminal to ask on: This is a live key (STOPWATCH_API_KEY, ${service.origin}). Cancel 1 schedule (scheduled)?\n  Example: the same with --yes\n`,
    );
    expect((await get(id)).status).toBe("scheduled");
  });

  it.each([
    [["cancel"], "ID is missing"],
    [["cancel", ""], "ID must be"],
    [["cancel", "--q", ""], "--q must not be empty"],
    [["cancel", "--status", ""], "--status must be"],
    [["cancel", "--from", ""], "--from must be"],
    [["cancel", "--since", ""], "--since must be"],
    [["cancel", "--host", ""], "host must not be empty"],
    [["cancel", "--status", "scheduled", "--late", ""], "late must not be empty"],
    [["cancel", "--code", ""], "code must not be empty"],
    [["cancel", "--idempotency-key", ""], "idempotency_key must not be empty"],
    [["cancel", "--operation", ""], "operation must not be empty"],
    [["cancel", "--all", "--q", "example"], "--all must not stand beside"],
    [["replay", "--q", ""], "--q must not be empty"],
    [["replay"], "ID is missing"],
  ])("reads %j, of which a script lost a value, as a mistake and never as all", async (args, problem) => {
    const { run, create, get } = await service.account();
    const id = await create();
    expect(await run([...args, "--yes"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(problem),
    });
    expect((await get(id)).status).toBe("scheduled");
  });

  it("cancels all with --all", async () => {
    const { run, create, get } = await service.account();
    const id = await create();
    expect(await run(["cancel", "--all", "--yes", "--json"])).toMatchObject({ code: 0 });
    expect((await get(id)).status).toBe("cancelled");
  });

  it("does nothing when nothing matches", async () => {
    const { run } = await service.account();
    expect(await run(["cancel", "--q", "nowhere"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: 'No schedule matches: scheduled or failed, with "nowhere" in the address.\n',
    });
  });
});

describe("reschedule", () => {
  it("moves schedules, and ends with 4 for those that were sent", async () => {
    const { run, create, get } = await service.account();
    const id = await create();
    const moved = await run(["reschedule", id, "--at", "2032-01-01T09:00", "--tz", "Europe/Berlin", "--early-fire"]);
    expect(moved).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("2032-01-01 09:00:00.000") });
    expect(await get(id)).toMatchObject({ fire_at: "2032-01-01T08:00:00.000Z", early_fire: true });
    await service.attempt(id, { attemptedAt: new Date() });
    expect(await run(["reschedule", id, "--in", "1h"])).toMatchObject({ code: 4 });
  });
});

describe("replay and clone", () => {
  it("make a new schedule from each id", async () => {
    const { run, create, get } = await service.account();
    const ids = [await create({ payload: "one", headers: { "X-A": "1" } }), await create({ payload: "two" })];
    const replayed = await run(["replay", ...ids, "--at", FUTURE, "-o", "json"]);
    expect(replayed.code).toBe(0);
    const copies = replayed.json().map(({ id }) => id as string);
    expect(await Promise.all(copies.map(async (id) => (await get(id)).replay_of))).toEqual(ids);
    const cloned = await run(["clone", ids[0] as string, "--at", FUTURE, "--json", '"new"', "-o", "json"]);
    const [{ id }] = cloned.json() as [{ id: string }];
    expect(await plaintextOf(service.api, id)).toEqual({
      payload: '"new"',
      headers: [["Content-Type", "application/json"]],
    });
  });

  it("replay sends all that are dead and match again, and says what it did", async () => {
    const { run, create } = await service.account();
    const dead = await create();
    await service.attempt(dead, { attemptedAt: new Date(), offsetMs: 5, statusCode: 500, status: "dead" });
    await create();
    const { code, stdout } = await run(["replay", "--since", "1h", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^operation +op_\w{26}\nstatus +done\nreplayed +1 of 1\n$/);
  });
});

describe("end with 2, name the option, and change nothing:", () => {
  it.each([
    ["cancel without anything", ["cancel"], "ID is missing: name schedules, a filter"],
    ["cancel with ids and a filter", ["cancel", NO_SUCH, "--q", "a"], "ID must not stand beside a filter"],
    ["cancel with one bad id among good ones", ["cancel", NO_SUCH, "sch_1"], "ID must be the id of a schedule"],
    ["replay of a filter with a time", ["replay", "--status", "dead", "--in", "5m"], "--in and --at need IDs"],
    ["two things from stdin", ["clone", "-", "--payload", "-"], "ID - and the payload - are both stdin"],
    ["the API's word for cancel", ["delete", NO_SUCH], "unknown command 'delete' (Did you mean cancel?)"],
  ])("%s", async (_, args, problem) => {
    await expectRefused(service, args, problem);
  });
});
