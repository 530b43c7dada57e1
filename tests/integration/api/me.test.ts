import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account("indie");
  session = await api.session(caller.accountId);
});

const read = async () => (await api.call("GET", "/v1/me", session)).body;
const patch = (body: unknown) => api.call("PATCH", "/v1/me", session, body);

describe("GET /v1/me 200", () => {
  it("shows a session its account and plan", async () => {
    const [row] = await api.sql`SELECT email, created_at FROM accounts WHERE id = ${caller.accountId}`;
    expect(await read()).toEqual({
      user: {
        id: expect.stringMatching(/^acc_/),
        email: row?.email,
        name: null,
        avatarUrl: null,
        status: "active",
        emailVerified: false,
        notices: true,
        createdAt: row?.created_at.toISOString(),
      },
      authSource: "session",
      apiKey: null,
      subscription: { plan: "indie", status: "none", currentPeriodEnd: null, manageable: false },
      isAdmin: false,
    });
  });

  it("shows a key the same, and which key it is", async () => {
    const { body } = await api.call("GET", "/v1/me", caller.test);
    expect(body).toEqual({
      ...(await read()),
      authSource: "apiKey",
      apiKey: { id: expect.stringMatching(/^key_/), env: "test" },
    });
  });

  it("shows the avatar and whether the address is verified", async () => {
    await api.sql`
      UPDATE accounts SET avatar_url = 'https://example.com/a.png', email_verified_at = now()
      WHERE id = ${caller.accountId}`;
    expect((await read()).user).toMatchObject({ avatarUrl: "https://example.com/a.png", emailVerified: true });
  });
});

describe("PATCH /v1/me 200", () => {
  it("changes the name, trims its spaces, and returns the profile", async () => {
    const { body } = await patch({ name: "  Ada Lovelace 𝒳 " });
    expect(body.user.name).toBe("Ada Lovelace 𝒳");
    expect(await read()).toEqual(body);
    expect((await patch({ name: "𝒳".repeat(80) })).body.user.name).toBe("𝒳".repeat(80));
  });

  it("switches notices on and off, and leaves omitted fields unchanged", async () => {
    await patch({ name: "Ada" });
    expect((await patch({ notices: false })).body.user).toMatchObject({ name: "Ada", notices: false });
    expect((await patch({ name: "Ada L." })).body.user).toMatchObject({ name: "Ada L.", notices: false });
    expect((await patch({ name: "A", notices: true })).body.user).toMatchObject({ name: "A", notices: true });
  });
});

describe("PATCH /v1/me 400", () => {
  it.each<[unknown, string]>([
    [{}, ""],
    [{ name: "" }, "name"],
    [{ name: "  " }, "name"],
    [{ name: "𝒳".repeat(81) }, "name"],
    [{ name: null }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "a\0" }, "name"],
    [{ name: "a\r\nBcc: b" }, "name"],
    [{ name: "\udc00" }, "name"],
    [{ notices: "yes" }, "notices"],
    [{ name: "A", email: "b@example.com" }, "email"],
    [{ name: "A", plan: "indie" }, "plan"],
    [{ name: "A", isAdmin: true }, "isAdmin"],
  ])("for %j names %s, and nothing is changed", async (body, path) => {
    const before = await read();
    const answer = await patch(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(await read()).toEqual(before);
  });
});
