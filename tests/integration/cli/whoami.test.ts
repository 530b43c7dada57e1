import { afterAll, beforeAll, expect, it } from "vitest";
import { expectRefused } from "./bad-input.ts";
import { startCliService } from "./service.ts";

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

it("prints the account, the environment and where the key comes from, but not the key", async () => {
  const { caller, run } = await service.account();
  const { code, stdout, stderr } = await run(["whoami"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    /^account +\S+@\S+ \(acc_\w{26}\)\nenvironment +test\nkey +key_\w{26}, from STOPWATCH_API_KEY\n/,
  );
  expect(stdout).toContain(`installation  ${service.origin}\n`);
  expect(stdout).not.toContain(caller.test.slice(8));
});

it("prints the answer of the service as one line of JSON", async () => {
  const { run } = await service.account("live");
  const { code, json } = await run(["whoami", "--json"]);
  expect(code).toBe(0);
  expect(json()).toMatchObject([{ authSource: "apiKey", apiKey: { env: "live" } }]);
});

it("ends with 3 for a key that the service does not know, and names the request and the fix", async () => {
  const { caller, run } = await service.account();
  const { code, stdout, stderr } = await run(["whoami"], { env: { STOPWATCH_API_KEY: await revoked(caller) } });
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toMatch(/\(UNAUTHORIZED\)\n {2}Fix: .*stopwatch login.*\n {2}Request id: \S+\n$/s);
});

it("ends with 3 without a key, and for one with a typing error, before it sends anything", async () => {
  const { caller, run } = await service.account();
  const before = service.requests.length;
  expect(await run(["whoami"], { env: { STOPWATCH_API_KEY: "" } })).toMatchObject({
    code: 3,
    stderr: "stopwatch: There is no API key.\n  Fix: store one with `stopwatch login`, or set STOPWATCH_API_KEY.\n",
  });
  const mistyped = `${caller.test.slice(0, -1)}${caller.test.endsWith("0") ? "1" : "0"}`;
  const { code, stderr } = await run(["whoami"], { env: { STOPWATCH_API_KEY: mistyped } });
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining("The API key has a typing error (STOPWATCH_API_KEY).\n  Fix: "),
  });
  expect(stderr).not.toContain(mistyped.slice(8));
  expect(service.requests.length).toBe(before);
});

it.each(["example.com", "ftp://example.com", "https://a:b@example.com", "https://example.com/v1"])(
  "ends with 2 for the address %s, and says which setting it is",
  async (url) => {
    await expectRefused(service, ["whoami"], "STOPWATCH_URL must be the address of an installation", "", {
      STOPWATCH_URL: url,
    });
  },
);

it("ends with 5 when nothing answers at the address, and says why", async () => {
  const { run } = await service.account();
  const { code, stderr } = await run(["whoami"], { env: { STOPWATCH_URL: "http://127.0.0.1:9" } });
  expect(code).toBe(5);
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:9 cannot be reached: .+ \(NETWORK\)\n {2}Fix: check the address/);
});

async function revoked({ accountId, test }: { accountId: string; test: string }): Promise<string> {
  await service.api.sql`DELETE FROM api_keys WHERE account_id = ${accountId} AND env = 'test'`;
  return test;
}
