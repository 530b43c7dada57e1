import { globSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withinOneMinute } from "#tests/helpers/within-one-minute.ts";
import { type Api, startApi } from "./api.ts";

const LIMIT = 3;
const OWN = "https://api.example.com";

type Post = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;
type FormRoute = { path: string; post: Post };

/** Forms that anybody may send, and why no account counts them. */
const WITHOUT_SESSION: Record<string, string> = {
  "/login/send":
    "who signs in has no session; links are limited per address and per network (tests/integration/auth/limits.test.ts)",
  "/account/sign-out": "signing out works over the limit, and twice",
  "/try/start": "who tries it has no session; trials are limited per network (tests/integration/api/trial.test.ts)",
  "/preferences": "stores a cookie and reads nothing of an account",
};

/** Every route handler for POST in the folders of pages, found in the tree of app/. */
async function formRoutes(): Promise<FormRoute[]> {
  const files = globSync("app/{(dashboard),(public)}/**/route.ts").map((file) => file.replaceAll("\\", "/"));
  const routes = await Promise.all(
    files.map(async (file) => {
      const { POST } = (await import(/* @vite-ignore */ resolve(file))) as { POST?: Post };
      const path = file.replace(/^app\/\([^)]*\)/, "").replace(/\/route\.ts$/, "");
      return POST === undefined ? [] : [{ path, post: POST }];
    }),
  );
  return routes.flat();
}

const ROUTES = await formRoutes();
const COUNTED = ROUTES.filter(({ path }) => !(path in WITHOUT_SESSION));

const FORGED: [what: string, headers: Record<string, string>][] = [
  ["Origin of another site", { origin: "https://evil.example" }],
  ["Origin of a sibling host", { origin: "https://other.example.com" }],
  ["Origin of our host with another scheme", { origin: "http://api.example.com" }],
  ["opaque Origin", { origin: "null" }],
  [
    "foreign Origin beside a Sec-Fetch-Site of ours",
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
  ],
  ["Sec-Fetch-Site cross-site", { "sec-fetch-site": "cross-site" }],
  ["Sec-Fetch-Site same-site", { "sec-fetch-site": "same-site" }],
  ["Sec-Fetch-Site none", { "sec-fetch-site": "none" }],
  ["Referer of another site", { referer: "https://evil.example/form" }],
];

let api: Api;
/** The cookie of an account whose browser is led to send forms from elsewhere. */
let visitor: string;

beforeAll(async () => {
  api = await startApi({ PLANS: `{"free":{"requestsPerMinute":${LIMIT}}}` });
  visitor = await cookieOfNewAccount();
});
afterAll(() => api.stop());

const FIELDS = {
  id: "sch_0123456789abcdefghjkmnpqrs",
  env: "test",
  email: "not-an-address",
  name: `<b>"typed" & kept</b>`,
};

/** Posts a form to a route, from a page of ours unless `headers` say otherwise. */
async function send(route: FormRoute, headers: Record<string, string>, fields: Record<string, string> = FIELDS) {
  return sendBody(route, headers, new URLSearchParams(fields));
}

async function sendBody({ path, post }: FormRoute, headers: Record<string, string>, body: BodyInit) {
  const url = `${OWN}${path.replace("[id]", FIELDS.id)}`;
  const request = new Request(url, { method: "POST", headers, body });
  const response = await post(request, { params: Promise.resolve({ id: FIELDS.id }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function cookieOfNewAccount(): Promise<string> {
  const { accountId } = await api.account();
  return (await api.session(accountId)).cookie;
}

/** How many rows each table has that a form could have changed, and when it last changed a schedule or a key. */
async function stored(): Promise<unknown> {
  return api.sql`
    SELECT (SELECT count(*) FROM schedules) AS schedules, (SELECT count(*) FROM api_keys) AS keys,
      (SELECT count(*) FROM operations) AS operations, (SELECT count(*) FROM sessions) AS sessions,
      (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM sign_in_requests) AS links`;
}

it("the form routes are found in app/, and each exception is one of them", () => {
  expect(ROUTES.length).toBeGreaterThan(20);
  expect(ROUTES.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(WITHOUT_SESSION)));
});

describe.each(ROUTES)("the form of $path", (route) => {
  it.each(FORGED)("is refused with 403 and does nothing when it comes with the %s", async (_, headers) => {
    const before = await stored();
    const { status, text } = await send(route, { cookie: visitor, ...headers });
    expect([status, JSON.parse(text).error.code]).toEqual([403, "FORBIDDEN"]);
    expect(await stored()).toEqual(before);
  });
});

const TYPE = "application/x-www-form-urlencoded";
const MALFORMED: [what: string, type: string, body: BodyInit, status: number][] = [
  ["percent-encoding that is none", TYPE, "name=x&env=%zz", 400],
  ["percent-encoding cut off", TYPE, "name=x&env=%e", 400],
  ["bytes encoded that are no UTF-8", TYPE, "name=%ff&env=test", 400],
  ["bytes that are no UTF-8", `${TYPE}; charset=utf-8`, Buffer.from("name=\xff", "latin1"), 400],
  ["JSON", "application/json", '{"name":"x"}', 415],
  ["text", "text/plain", "name=x", 415],
  [
    "the form of files",
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    415,
  ],
];

describe.each(ROUTES)("the form of $path", (route) => {
  it("is refused with a page that says so, and does nothing, when it is malformed or of another type", async () => {
    const cookie = await cookieOfNewAccount();
    for (const [what, type, body, status] of MALFORMED) {
      const before = await stored();
      const answer = await sendBody(route, { cookie, origin: OWN, "content-type": type }, body);
      expect([what, answer.status]).toEqual([what, status]);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.text).toContain("Nothing was changed.");
      expect(await stored()).toEqual(before);
    }
  });
});

describe.each(COUNTED)("the form of $path", (route) => {
  it.each([
    ["without a session", {}],
    ["with a session that nobody has", { cookie: `sw_session=${"x".repeat(43)}` }],
  ])("leads to sign-in %s, and does nothing", async (_, headers: Record<string, string>) => {
    const before = await stored();
    const answer = await send(route, { origin: OWN, ...headers });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toMatch(/^\/login\?error=signed_out(?:&|$)/);
    expect(await stored()).toEqual(before);
  });

  it("counts towards the account's requests per minute; above them it gets 429 and Retry-After, and keeps what was typed", async () => {
    await withinOneMinute(api.sql, async () => {
      const cookie = await cookieOfNewAccount();
      const signedIn = { cookie, origin: OWN };
      for (let n = 0; n < LIMIT; n++) expect((await send(route, signedIn)).status).not.toBe(429);
      const before = await stored();
      const { status, headers, text } = await send(route, signedIn);
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(headers.get("content-type")).toContain("text/html");
      expect(text).toContain(`This account is limited to ${LIMIT} requests per minute.`);
      expect(text).toContain(`action="${route.path.replace("[id]", FIELDS.id)}"`);
      expect(text).toContain(`name="name" value="&lt;b&gt;&quot;typed&quot; &amp; kept&lt;/b&gt;"`);
      expect(await stored()).toEqual(before);
    });
  });
});

describe.each(ROUTES.filter(({ path }) => path in WITHOUT_SESSION))("the form of $path", (route) => {
  it(`is answered without a session and over the account's limit: ${WITHOUT_SESSION[route.path]}`, async () => {
    const senders: Record<string, string>[] = [{ origin: OWN }, { origin: OWN, cookie: await cookieOfNewAccount() }];
    for (const sender of senders) {
      for (let n = 0; n <= LIMIT; n++) expect((await send(route, sender)).status).toBe(303);
    }
  });
});

it("a form of more than 16 KiB gets 413 and a page that says so", async () => {
  const route = COUNTED.find(({ path }) => path === "/account/profile") as FormRoute;
  const signedIn = { cookie: await cookieOfNewAccount(), origin: OWN };
  const { status, text } = await send(route, signedIn, { name: "x".repeat(17_000) });
  expect(status).toBe(413);
  expect(text).toContain("A form may have at most 16384 bytes.");
});
