import { describe, expect, it } from "vitest";
import { Stopwatch } from "../../../sdk/src/index.ts";
import { type FakeOptions, fakeStopwatch } from "../../../sdk/src/testing.ts";

const NOW = "2031-01-01T00:00:00.000Z";
const DAILY = { cron: "0 9 * * *", targetUrl: "https://example.com/report" };

function start(options: FakeOptions = {}) {
  const fake = fakeStopwatch({ now: NOW, ...options });
  return { fake, client: new Stopwatch(fake.apiKey, { ...fake.options, maxRetries: 0 }) };
}

/** When each was attempted, as `01-09:00` of January, and the status that it led to. */
const seen = (attempts: readonly { at: Date; outcome: string }[]) =>
  attempts.map(({ at, outcome }) => `${at.toISOString().slice(8, 16).replace("T", "-")} ${outcome}`);

describe("the clock of the fake", () => {
  it("makes the occurrences of a recurrence as it moves, each at its instant, with the request and the key", async () => {
    const { fake, client } = start();
    const put = await client.recurrences.put("daily report", { ...DAILY, json: { day: true } });
    expect(put).toMatchObject({ rule: "every day at 09:00", status: "active", taken_back: 0, in_flight: 0 });
    expect(put.next.map(({ fire_at }) => fire_at.slice(8, 16))).toEqual([
      "01T09:00",
      "02T09:00",
      "03T09:00",
      "04T09:00",
      "05T09:00",
    ]);
    expect((await client.schedules.list()).items).toMatchObject([
      { status: "scheduled", fire_at: put.next[0]?.fire_at },
    ]);
    const made = await fake.advance("3d");
    expect(seen(made)).toEqual(["01-09:00 succeeded", "02-09:00 succeeded", "03-09:00 succeeded"]);
    const { items } = await client.schedules.list({ recurrence: "daily report", sort: "fire_at", limit: 1 });
    expect(items).toMatchObject([{ recurrence: "daily report", occurrence_at: "2031-01-01T09:00:00.000Z" }]);
    expect(made[2]).toMatchObject({ body: '{"day":true}', headers: { "x-service-recurrence": "daily%20report" } });
    expect((await client.usage()).scheduled).toBe(4);
  });

  it("follows the clocks of the zone over a change, and says which of the next is one", async () => {
    const { fake, client } = start({ now: "2031-03-29T00:00:00Z" });
    const input = { ...DAILY, cron: "30 2 * * *", timezone: "Europe/Berlin" };
    const { next } = await client.recurrences.put("night", input);
    expect(
      next.map(({ local, offset, clock_change }) => [local.slice(8, 16), offset, clock_change]).slice(0, 3),
    ).toEqual([
      ["29T02:30", "+01:00", null],
      ["30T03:30", "+02:00", "gap"],
      ["31T02:30", "+02:00", null],
    ]);
    const made = await fake.advance("3d");
    expect(made.map(({ at }) => at.toISOString().slice(8, 16))).toEqual(["29T01:30", "30T01:30", "31T00:30"]);
  });

  it("ends a recurrence after its last instant, and a PUT begins it again", async () => {
    const { fake, client } = start();
    await client.recurrences.put("k", { ...DAILY, endsAt: new Date("2031-01-02T12:00:00Z") });
    expect(await fake.advance("5d")).toHaveLength(2);
    expect(await client.recurrences.get("k")).toMatchObject({ status: "ended", next: [] });
    for (const call of [client.recurrences.pause("k"), client.recurrences.resume("k")])
      await expect(call).rejects.toMatchObject({ code: "CONFLICT" });
    await client.recurrences.put("k", DAILY);
    expect(await fake.advance("1d")).toHaveLength(1);
  });

  it("leaves an occurrence out while an earlier one waits for its retry, if they must not overlap", async () => {
    const { fake, client } = start({ onDelivery: () => new Response("", { status: 500 }) });
    const delivery = { retryDelaysMs: [90_000] };
    await client.recurrences.put("k", { ...DAILY, cron: "* 9 * * *", overlap: "skip", delivery });
    await fake.advance("2031-01-01T09:03:30Z");
    expect(seen(fake.deliveries)).toEqual(["01-09:00 failed", "01-09:01 dead", "01-09:02 failed", "01-09:03 dead"]);
    const { left_out } = await client.recurrences.get("k");
    expect(left_out.map(({ from, reason }) => [from.slice(11, 16), reason])).toEqual([
      ["09:01", "overlap"],
      ["09:03", "overlap"],
    ]);
  });

  it("makes none over the quota, names them, and goes on in the next month", async () => {
    const { grace_limit: scheduled } = await start().client.usage();
    const { fake, client } = start({ scheduled: scheduled - 1, now: "2031-01-30T00:00:00Z" });
    await client.recurrences.put("k", DAILY);
    const sent = ["30-09:00 succeeded", "01-09:00 succeeded", "02-09:00 succeeded", "03-09:00 succeeded"];
    expect(seen(await fake.advance("5d"))).toEqual(sent);
    const { left_out } = await client.recurrences.get("k");
    expect(left_out.map(({ from, reason }) => [from.slice(5, 10), reason])).toEqual([["01-31", "over_quota"]]);
  });
});

describe("an acknowledged change of a recurrence", () => {
  it("takes back what has not left, gives it back to the quota, and sends the new request alone", async () => {
    const { fake, client } = start();
    await client.recurrences.put("k", DAILY);
    const changed = await client.recurrences.put("k", { ...DAILY, payload: "new" });
    expect(changed).toMatchObject({ taken_back: 1, in_flight: 0 });
    expect((await client.usage()).scheduled).toBe(1);
    expect((await fake.advance("1d")).map(({ body }) => body)).toEqual(["new"]);
    expect(await client.recurrences.put("k", { ...DAILY, payload: "new" })).toMatchObject({ taken_back: 0 });
  });

  it("takes one that was moved back without taking its instant for missed", async () => {
    const { fake, client } = start();
    await client.recurrences.put("k", DAILY);
    const [first] = (await client.schedules.list()).items;
    await client.schedules.reschedule(first?.id ?? "", { fireAt: "2031-01-20T00:00:00Z" });
    expect(await fake.advance("2d")).toHaveLength(1);
    expect(await client.recurrences.put("k", { ...DAILY, name: "n" })).toMatchObject({ taken_back: 2, left_out: [] });
    expect(seen(await fake.advance("1d"))).toEqual(["03-09:00 succeeded"]);
  });

  it("counts what is being sent, and cancels what waits for a retry", async () => {
    const { fake, client } = start();
    await client.recurrences.put("k", DAILY);
    fake.onDelivery = async () => {
      expect(await client.recurrences.pause("k", { note: "broken" })).toMatchObject({
        in_flight: 1,
        pause_note: "broken",
      });
      return new Response("", { status: 500 });
    };
    await fake.advance("2031-01-01T09:00:00Z");
    expect(await client.recurrences.delete("k")).toEqual({ key: "k", taken_back: 1, in_flight: 0 });
    await expect(client.recurrences.get("k")).rejects.toMatchObject({ code: "NOT_FOUND" });
    fake.onDelivery = () => new Response();
    expect(await fake.advance("2d")).toEqual([]);
  });

  it("pauses until an instant or a resume, and sends nothing of what was between", async () => {
    const { fake, client } = start();
    await client.recurrences.put("k", DAILY);
    const until = new Date("2031-01-03T12:00:00Z");
    const paused = await client.recurrences.pause("k", { until });
    expect(paused).toMatchObject({ status: "paused", taken_back: 1, paused_until: until.toISOString() });
    expect(paused.next[0]?.fire_at).toBe("2031-01-04T09:00:00.000Z");
    expect(seen(await fake.advance("4d"))).toEqual(["04-09:00 succeeded"]);
    await client.recurrences.pause("k");
    expect((await client.recurrences.get("k")).next).toEqual([]);
    await client.recurrences.put("k", { ...DAILY, name: "still paused" });
    expect(await fake.advance("2d")).toEqual([]);
    expect(await client.recurrences.resume("k")).toMatchObject({ status: "active", name: "still paused" });
    expect(seen(await fake.advance("1d"))).toEqual(["07-09:00 succeeded"]);
    const { left_out } = await client.recurrences.get("k");
    expect(left_out).toEqual([]);
  });
});

it("a dry run answers what the call would, refuses what it would, and stores nothing", async () => {
  const { fake, client } = start();
  const dry = await client.recurrences.put("k", DAILY, { dryRun: true });
  expect((await client.recurrences.list()).items).toEqual([]);
  expect(await client.recurrences.put("k", DAILY)).toEqual(dry);
  const changed = await client.recurrences.put("k", { ...DAILY, payload: "x" }, { dryRun: true });
  expect(changed).toMatchObject({ taken_back: 1, has_payload: true });
  expect(await client.recurrences.get("k")).toMatchObject({ has_payload: false });
  expect((await fake.advance("1d")).map(({ body }) => body)).toEqual([""]);
  await expect(client.recurrences.put("l", { ...DAILY, cron: "0 0 31 2 *" }, { dryRun: true })).rejects.toMatchObject({
    code: "VALIDATION",
    message: expect.stringContaining("never fires"),
  });
});

it("the plan bounds how many there are, and how often they fire", async () => {
  const { client } = start();
  for (let n = 0; n < 10; n++) await client.recurrences.put(`k${n}`, DAILY);
  await expect(client.recurrences.put("one more", DAILY)).rejects.toMatchObject({ code: "CONFLICT" });
  await client.recurrences.put("k3", { ...DAILY, name: "changed" });
  const keys = [];
  for await (const { key } of client.recurrences.list({ limit: 3 })) keys.push(key);
  expect(keys).toEqual(["k9", "k8", "k7", "k6", "k5", "k4", "k3", "k2", "k1", "k0"]);
  await client.recurrences.pause("k4");
  const { items } = await client.recurrences.list({ status: "paused" });
  expect(items.map(({ key }) => key)).toEqual(["k4"]);
});

it("a key is any text that a path carries", async () => {
  const { client } = start();
  for (const key of ["a/b", "é ?#%", "x".repeat(255)]) {
    await client.recurrences.put(key, DAILY);
    expect(await client.recurrences.get(key)).toMatchObject({ key });
    expect(await client.recurrences.resume(key)).toMatchObject({ key });
  }
  for (const key of ["", ".", "..", "\ud800"])
    await expect(client.recurrences.get(key)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
