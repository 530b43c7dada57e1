// Guards: cli/src/rotate/**, cli/src/verbs/rotate.ts, cli/src/verbs/secrets.ts, cli/src/output/secret-end.ts, cli/src/input/confirm.ts, server/signing-secrets/**
// Final: its verdict is about which secrets are stored, and what of them is shown.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCliService } from "./service.ts";

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

async function account() {
  const made = await service.account();
  const read = async () => (await service.api.call("GET", "/v1/signing-secrets", made.caller.test)).body;
  return { ...made, read, before: await read() };
}

describe("secrets", () => {
  it("shows the ends of the secrets alone, also to programs", async () => {
    const { run, before } = await account();
    for (const args of [["secrets"], ["secrets", "--json"]]) {
      const { code, stdout } = await run(args);
      expect(code).toBe(0);
      expect(stdout).toContain(`whsec_…${before.current.slice(-4)}`);
      for (const secret of [before.current, before.next]) expect(stdout).not.toContain(secret.slice(6, 16));
    }
  });

  it("prints them whole on request, and lines that a .env file takes", async () => {
    const { run, before } = await account();
    expect((await run(["secrets", "--show", "--json"])).json()).toEqual([{ env: "test", ...before }]);
    const { stdout } = await run(["secrets", "--env"]);
    expect(stdout).toBe(`STOPWATCH_SECRET=${before.current}\nSTOPWATCH_SECRET_NEXT=${before.next}\n`);
  });
});

describe("rotate", () => {
  it("makes the next secret the current one, and says until when the former one signs", async () => {
    const { run, read, before } = await account();
    const { code, stderr, json } = await run(["rotate", "--yes", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const after = await read();
    expect(after.current).toBe(before.next);
    expect(json()).toEqual([
      {
        env: "test",
        current: `whsec_…${after.current.slice(-4)}`,
        next: `whsec_…${after.next.slice(-4)}`,
        rotated_at: after.rotated_at,
        replayed: false,
        former_valid_until: new Date(Date.parse(after.rotated_at) + 86_400_000).toISOString(),
      },
    ]);
  });

  it("rotates nothing without a terminal and --yes, and names environment and address", async () => {
    const { run, read, before } = await account();
    const { code, stderr } = await run(["rotate"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--yes is needed");
    expect(stderr).toContain(`Rotate the signing secret of test at ${service.origin}?`);
    expect(await read()).toEqual(before);
  });

  it("rotates once when the answer is lost, and once for each key", async () => {
    const { run, read, before } = await account();
    service.loseNext(/^POST .*\/rotate$/);
    const lost = await run(["rotate", "--yes", "--key-for-once", "june"]);
    expect(lost.code).toBe(0);
    expect((await read()).current).toBe(before.next);
    const again = await run(["rotate", "--yes", "--key-for-once", "june", "--json"]);
    expect(again.json()).toMatchObject([{ replayed: true }]);
    expect((await read()).current).toBe(before.next);
  });

  it("refuses a key that no header can carry, before it asks", async () => {
    const { run } = await account();
    const { code, stderr } = await run(["rotate", "--yes", "--key-for-once", "é"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--key-for-once must be 1 to 255 characters");
  });

  it("without an answer says with which key to repeat it", async () => {
    const { run } = await account();
    const { code, stderr } = await run(["rotate", "--yes", "--key-for-once", "july"], {
      env: { STOPWATCH_URL: "http://127.0.0.1:9" },
    });
    expect(code).toBe(5);
    expect(stderr).toContain("Fix: repeat with --key-for-once july within 24 hours: it rotates once.");
  });
});
