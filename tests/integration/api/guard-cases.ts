import { BODY_BYTES_MAX } from "#domain/plans.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import type { WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, FUTURE, TARGET } from "./api.ts";

/** A web process to try a case on, the same while the database is away, and the id of the action that creates a schedule. */
export type Side = {
  api: Api;
  web: WebProcess;
  cutOff: WebProcess;
  actionId: string;
  /** The last answer, for the message of a failure. */
  seen?: string;
};

/** What is promised to callers and visitors, and whether it holds on one side. */
export type GuardCase = { group: string; what: string; holds: (side: Side) => Promise<boolean> };

/** The public address of the processes, and the header in which their platform reports callers. */
export const BASE_URL = "https://stopwatch.example.com";
export const ADDRESS_HEADER = "x-platform-caller";

const HSTS = "max-age=31536000";

type Sent = { method?: string; headers?: Record<string, string>; body?: string; web?: WebProcess };

let nextCaller = 0;

/** The answer to a request from an address of its own, so that none of them is limited. */
async function ask(side: Side, path: string, { method = "GET", headers = {}, body, ...sent }: Sent = {}) {
  const address = `10.1.${(nextCaller >> 8) & 255}.${nextCaller++ & 255}`;
  const answer = await fetch(`${(sent.web ?? side.web).origin}${path}`, {
    method,
    redirect: "manual",
    headers: { [ADDRESS_HEADER]: address, ...headers },
    ...(body !== undefined && { body }),
  });
  side.seen = `${method} ${path}: ${answer.status} ${JSON.stringify([...answer.headers])}`;
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The answer to a request of these bytes, whose line lacks its version and whose headers lack those that every one has. */
const askRaw = ({ web }: Side, line: string, headers: string[] = ["Host: localhost"], body = "") =>
  sendRaw(web.port, [`${line} HTTP/1.1`, "Connection: close", ...headers, "", body].join("\r\n"));

const HTML = { accept: "text/html,application/xhtml+xml" };

const isEnvelope = ({ text }: { text: string }, code: string) => {
  try {
    return JSON.parse(text).error.code === code;
  } catch {
    return false;
  }
};

const has = (headers: Headers, expected: Record<string, string>) =>
  Object.entries(expected).every(([name, value]) => headers.get(name) === value);

const nonceOf = (headers: Headers) => /'nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1];

const isSecurePage = ({ headers }: { headers: Headers }) =>
  has(headers, {
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "strict-transport-security": HSTS,
  }) &&
  headers.has("permissions-policy") &&
  (headers.get("content-security-policy") ?? "").includes("frame-ancestors 'none'");

const API_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "strict-transport-security": HSTS,
};

/** A new account and a session of it whose next use renews it. */
async function signIn({ api }: Side) {
  const caller = await api.account();
  const { cookie } = await api.session(caller.accountId, { ageDays: 3 });
  return { ...caller, cookie };
}

const isRenewed = ({ headers }: { headers: Headers }, cookie: string) =>
  headers.getSetCookie().some((one) => one.startsWith(`${cookie};`)) &&
  (headers.get("cache-control") ?? "").includes("no-store");

/** The network that the security log has for a refused call with these headers. */
async function loggedNetwork(side: Side, headers: Record<string, string>): Promise<string | null> {
  const { live, accountId } = await side.api.account();
  await side.api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${accountId}`;
  await fetch(`${side.web.origin}/v1/schedules`, { headers: { authorization: `Bearer ${live}`, ...headers } });
  let network: string | null = null;
  await waitFor("the refusal is logged", async () => {
    const [row] = await side.api.sql`
      SELECT network FROM security_events WHERE account_id = ${accountId} AND kind = 'credential_refused'`;
    network = row?.network ?? null;
    return row !== undefined;
  });
  return network;
}

/** A form of a new schedule, as a browser sends it without scripts. Most cases are refused before its fields count. */
function newSchedule(side: Side, { headers = {}, fields = [] as string[] } = {}) {
  const parts = fields.map((name) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`);
  const type = { "content-type": "multipart/form-data; boundary=x" };
  return ask(side, "/schedules/new", {
    method: "POST",
    headers: { origin: BASE_URL, ...type, ...headers },
    body: `${parts.join("")}--x--\r\n`,
  });
}

const FLASH = "flash=result=cancelled&at=/schedules";

/** How many requests from one address are answered before the first 429. */
async function answeredBefore429(side: Side, path: string, headers: () => Record<string, string>, tries: number) {
  const address = `10.2.${nextCaller >> 8}.${nextCaller++ & 255}`;
  let answered = 0;
  let isRefused = false;
  const next = async () => {
    while (!isRefused && answered < tries) {
      const { status } = await ask(side, path, { headers: { [ADDRESS_HEADER]: address, ...headers() } });
      if (status === 429) isRefused = true;
      else answered++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, next));
  return { answered, isRefused };
}

const headerCases: GuardCase[] = [
  {
    group: "Security headers",
    what: "of the API and health checks, errors included",
    holds: async (side) => {
      const { live } = await side.api.account();
      const authorization = `Bearer ${live}`;
      const headers = { authorization, "content-type": "application/json" };
      const body = JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE });
      const answers = [
        await ask(side, "/v1/schedules", { method: "POST", headers, body }),
        await ask(side, "/v1/schedules", { headers: { authorization } }),
        await ask(side, "/v1/schedules"),
        await ask(side, "/v1/nothing"),
        await ask(side, "/v1/schedules", { method: "PUT" }),
        await ask(side, "/healthz"),
      ];
      return answers.every((answer) => has(answer.headers, API_HEADERS) && answer.headers.has("x-request-id"));
    },
  },
  {
    group: "Security headers",
    what: "of pages, errors and answers to POST included",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const answers = [
        await ask(side, "/login", { headers: HTML }),
        await ask(side, "/schedules", { headers: { ...HTML, cookie } }),
        await ask(side, "/nothing", { headers: HTML }),
        await ask(side, "/login", { method: "POST", headers: { ...HTML, "content-type": "text/plain" }, body: "x" }),
      ];
      return answers.every(isSecurePage);
    },
  },
  {
    group: "Security headers",
    what: "a page runs only scripts with the nonce of its answer, new each time, never the caller's",
    holds: async (side) => {
      const headers = { ...HTML, "content-security-policy": "script-src 'nonce-mine'" };
      const pages = [await ask(side, "/login", { headers }), await ask(side, "/login", { headers })];
      const nonces = pages.map((page) => nonceOf(page.headers));
      return (
        new Set(nonces).size === 2 &&
        pages.every(({ text }, at) => {
          const scripts = text.match(/<script[^>]*>/g) ?? [];
          return scripts.length > 0 && scripts.every((script) => script.includes(`nonce="${nonces[at]}"`));
        })
      );
    },
  },
  {
    group: "Security headers",
    what: "a page shows the id of its request, as in the log",
    holds: async (side) => {
      const { headers, text } = await ask(side, "/login", { headers: { ...HTML, "x-request-id": "mine" } });
      const id = headers.get("x-request-id") ?? "";
      return /^req_[0-9a-f]{32}$/.test(id) && text.includes(`data-request-id="${id}"`);
    },
  },
  {
    group: "Security headers",
    what: "nosniff on static files",
    holds: async (side) => {
      const { headers } = await ask(side, await stylesheetOf(side));
      return headers.get("x-content-type-options") === "nosniff";
    },
  },
  {
    group: "Security headers",
    what: "HSTS on static files",
    holds: async (side) =>
      (await ask(side, await stylesheetOf(side))).headers.get("strict-transport-security") === HSTS,
  },
];

async function stylesheetOf(side: Side): Promise<string> {
  const { text } = await ask(side, "/login", { headers: HTML });
  const href = /\/_next\/static\/[^"]+\.css/.exec(text)?.[0];
  if (href === undefined) throw new Error("the page has no style sheet");
  return href;
}

const addressCases: GuardCase[] = [
  {
    group: "Callers' addresses",
    what: "an address that a caller writes into our internal header does not count",
    holds: async (side) =>
      (await loggedNetwork(side, { "x-stopwatch-socket-address": "203.0.113.7" })) !== "203.0.113.0/24",
  },
  {
    group: "Callers' addresses",
    what: "the address in the header of `CLIENT_ADDRESS_HEADER` counts",
    holds: async (side) => (await loggedNetwork(side, { [ADDRESS_HEADER]: "198.51.100.7" })) === "198.51.100.0/24",
  },
  {
    group: "Callers' addresses",
    what: "without that header, the socket's address counts",
    holds: async (side) => (await loggedNetwork(side, {})) === "127.0.0.0/24",
  },
  {
    group: "Callers' addresses",
    what: "refused credentials are limited by address",
    holds: async (side) => {
      const { generateApiKey } = await import("#domain/api-key.ts");
      const wrong = () => ({ authorization: `Bearer ${generateApiKey("live")}` });
      return (await answeredBefore429(side, "/v1/schedules", wrong, 1_400)).isRefused;
    },
  },
  {
    group: "Callers' addresses",
    what: "requests without a credential are limited by network, and take turns",
    holds: async (side) => (await answeredBefore429(side, "/robots.txt", () => ({}), 1_500)).isRefused,
  },
];

const requestCases: GuardCase[] = [
  {
    group: "Requests",
    what: "a path that cannot be decoded is 404 in the error envelope (`/v1/%ff`)",
    holds: async (side) => {
      const answers = await Promise.all(["/v1/%ff", "/v1/schedules/%E0%A4%A", "/v1/%"].map((path) => ask(side, path)));
      return (
        answers.slice(0, 1).every((one) => one.status === 404 && isEnvelope(one, "NOT_FOUND")) &&
        answers.every(({ status, headers }) => status < 500 && headers.has("x-request-id"))
      );
    },
  },
  {
    group: "Requests",
    what: "a page's path that cannot be decoded is 404",
    holds: async (side) => (await ask(side, "/%ff", { headers: HTML })).status === 404,
  },
  {
    group: "Requests",
    what: "repeated slashes under /v1 are 404, and no redirect",
    holds: async (side) => (await askRaw(side, "GET /v1//schedules")).status === 404,
  },
  {
    group: "Requests",
    what: "every method that a path does not have is 405 in the envelope (`PROPFIND`)",
    holds: async (side) =>
      isEnvelope(await askRaw(side, "PROPFIND /v1/schedules"), "METHOD_NOT_ALLOWED") &&
      isEnvelope(await askRaw(side, "PROPFIND /v1/schedules/by-key/a"), "METHOD_NOT_ALLOWED"),
  },
  {
    group: "Requests",
    what: "query parameters with names that Next.js reserves are refused (`nxtPx`)",
    holds: async (side) => {
      const headers = { authorization: `Bearer ${(await side.api.account()).live}` };
      return (await ask(side, "/v1/schedules?nxtPx=1", { headers })).status === 400;
    },
  },
  {
    group: "Requests",
    what: "two `Host` or `Authorization` headers are refused",
    holds: async (side) => {
      const hosts = await askRaw(side, "GET /v1/schedules", ["Host: a", "Host: b"]);
      const two = await askRaw(side, "GET /v1/schedules", ["Host: a", "Authorization: x", "Authorization: y"]);
      return [hosts, two].every((answer) => isEnvelope(answer, "VALIDATION"));
    },
  },
  {
    group: "Requests",
    what: "what is not valid HTTP gets an answer in the envelope",
    holds: async ({ web }) => isEnvelope(await sendRaw(web.port, "not HTTP\r\n\r\n"), "VALIDATION"),
  },
  {
    group: "Requests",
    what: "a JSON body over its limit is 413 before all of it has come",
    holds: async (side) => {
      const { live } = await side.api.account();
      const headers = ["Host: localhost", `Authorization: Bearer ${live}`, "Content-Type: application/json"];
      const announced = await askRaw(side, "POST /v1/schedules", [...headers, "Content-Length: 900000000"]);
      // One byte too many, and no more: a caller that still sends may lose the answer where the owner of the socket does
      // not linger.
      const bytes = BODY_BYTES_MAX + 1;
      const chunk = `${bytes.toString(16)}\r\n${" ".repeat(bytes)}`;
      const begun = await askRaw(side, "POST /v1/schedules", [...headers, "Transfer-Encoding: chunked"], chunk);
      return [announced, begun].every(({ status }) => status === 413);
    },
  },
];

const formCases: GuardCase[] = [
  {
    group: "Forms",
    what: "a form of another site is 403",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const foreign = { cookie, origin: "https://evil.example.com" };
      const headers = { ...foreign, "content-type": "application/x-www-form-urlencoded" };
      const posted = await ask(side, "/account/sign-out", { method: "POST", headers, body: "" });
      return posted.status === 403 && (await newSchedule(side, { headers: foreign })).status === 403;
    },
  },
  {
    group: "Forms",
    what: "the form of a new schedule is refused without its length, or when it is no form",
    holds: async (side) => {
      const base = ["Host: localhost", `Origin: ${BASE_URL}`, `Next-Action: ${side.actionId}`];
      const form = [...base, "Content-Type: multipart/form-data; boundary=x", "Transfer-Encoding: chunked"];
      const chunked = await askRaw(side, "POST /schedules/new", form, "0\r\n\r\n");
      const headers = { "content-type": "text/plain", "next-action": side.actionId };
      return chunked.status === 411 && (await newSchedule(side, { headers })).status === 415;
    },
  },
  {
    group: "Forms",
    what: "the form of a new schedule with too many fields is 400",
    holds: async (side) => {
      const fields = Array.from({ length: 600 }, (_, n) => `1_field${n}`);
      return (await newSchedule(side, { fields })).status === 400;
    },
  },
  {
    group: "Forms",
    what: "a form of a new schedule that cannot be read is 400",
    holds: async (side) =>
      (await newSchedule(side, { fields: ["0"], headers: { "next-action": side.actionId } })).status === 400,
  },
];

const pageCases: GuardCase[] = [
  {
    group: "Pages",
    what: "about something that does not exist has the status 404",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const missing = await ask(side, MISSING_SCHEDULE, { headers: { ...HTML, cookie } });
      const docs = await ask(side, "/docs/nothing", { headers: HTML });
      return missing.status === 404 && docs.status === 404;
    },
  },
  {
    group: "Pages",
    what: "such a page shows its text without scripts",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const { text } = await ask(side, MISSING_SCHEDULE, { headers: { ...HTML, cookie } });
      return /<h1[^>]*>No such schedule here/.test(text);
    },
  },
  {
    group: "Pages",
    what: "while the database is away have a status of 500 or more",
    holds: async (side) => (await outagePage(side)).status >= 500,
  },
  {
    group: "Pages",
    what: "while the database is away are 503 with `Retry-After`, and say so without scripts",
    holds: async (side) => {
      const { status, headers, text } = await outagePage(side);
      return status === 503 && headers.has("retry-after") && /<h1[^>]*>This page did not load/.test(text);
    },
  },
  {
    group: "Pages",
    what: "the documentation is rendered once, and kept",
    holds: async (side) => {
      const policies = [await ask(side, "/docs/states"), await ask(side, "/docs/states")].map(({ headers }) =>
        headers.get("content-security-policy"),
      );
      return policies[0] !== null && policies[0] === policies[1];
    },
  },
  {
    group: "Pages",
    what: "`/status` may be kept by shared caches",
    holds: async (side) =>
      (await ask(side, "/status", { headers: HTML })).headers.get("cache-control") === "public, max-age=15",
  },
];

const MISSING_SCHEDULE = "/schedules/sch_00000000000000000000000000";

const outagePage = (side: Side) =>
  ask(side, "/schedules", { headers: { ...HTML, cookie: `sw_session=${"x".repeat(43)}` }, web: side.cutOff });

const cookieCases: GuardCase[] = [
  {
    group: "Cookies",
    what: "the result of a form is shown once, and only refreshes see it again",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const first = await ask(side, "/schedules", { headers: { ...HTML, cookie: `${cookie}; ${FLASH}` } });
      const marked = flashOf(first) ?? "";
      const refresh = await ask(side, "/schedules", { headers: { rsc: "1", cookie: `${cookie}; ${marked}` } });
      const again = await ask(side, "/schedules", { headers: { ...HTML, cookie: `${cookie}; ${marked}` } });
      return marked.endsWith("shown=1") && flashOf(refresh) === undefined && flashOf(again) === "flash=";
    },
  },
  {
    group: "Cookies",
    what: "the result of a form waits for a page that could be shown",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const flash = FLASH.replace("/schedules", MISSING_SCHEDULE);
      return (
        flashOf(await ask(side, MISSING_SCHEDULE, { headers: { ...HTML, cookie: `${cookie}; ${flash}` } })) ===
        undefined
      );
    },
  },
  {
    group: "Cookies",
    what: "an answer that sets a cookie is `no-store`",
    holds: async (side) => {
      const paths = ["/schedules", "/llms.txt", "/status", "/docs/states.md"];
      const answers = await Promise.all(
        paths.map((path) => ask(side, path, { headers: { ...HTML, cookie: FLASH.replace("/schedules", path) } })),
      );
      return answers.every(
        ({ headers }) => headers.getSetCookie().length === 0 || headers.get("cache-control")?.includes("no-store"),
      );
    },
  },
  {
    group: "Cookies",
    what: "a session that an API call looked up and renewed is sent again",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      return isRenewed(await ask(side, "/v1/me", { headers: { cookie } }), cookie);
    },
  },
  {
    group: "Cookies",
    what: "a session that a form looked up and renewed is sent again",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      const headers = { cookie, origin: BASE_URL, "content-type": "application/x-www-form-urlencoded" };
      return isRenewed(
        await ask(side, "/keys/create", { method: "POST", headers, body: "name=x&keyEnv=test" }),
        cookie,
      );
    },
  },
  {
    group: "Cookies",
    what: "a session that a page looked up and renewed is sent again",
    holds: async (side) => {
      const { cookie } = await signIn(side);
      return isRenewed(await ask(side, "/schedules", { headers: { ...HTML, cookie } }), cookie);
    },
  },
];

const flashOf = ({ headers }: { headers: Headers }) =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith("flash="))
    ?.split(";")[0];

export const GUARD_CASES: readonly GuardCase[] = [
  ...headerCases,
  ...addressCases,
  ...requestCases,
  ...formCases,
  ...pageCases,
  ...cookieCases,
];
