import { hash } from "node:crypto";
import { connect } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import { unsubscribeToken } from "#domain/unsubscribe-token.ts";
import { DOC_PAGES } from "#server/docs/pages.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { sendRaw } from "#tests/helpers/raw-request.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";

let database: TestDatabase;
let web: WebProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  web = await startWebProcess({
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS,
    LOG_LEVEL: "info",
    BASE_URL: "https://stopwatch.example",
    SECURITY_CONTACT: "security@example.com",
  });
});
afterAll(async () => {
  await web?.stop();
  await database.drop();
});

const get = (target: string, ...headers: string[]) =>
  sendRaw(web.port, `GET ${target} HTTP/1.1\r\n${["Host: x", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`);

/** The directives of a policy by name. */
const policyOf = (headers: Headers) =>
  new Map(
    (headers.get("content-security-policy") ?? "").split("; ").map((one) => one.split(/ (.*)/, 2) as [string, string]),
  );

describe("a page", () => {
  it.each(["/", "/nobody-is-here", "/_next/nothing", "/%E0%A4%A"])(
    "forbids frames and content sniffing, and sends only its origin as referrer: %s",
    async (path) => {
      const { headers } = await get(path);
      const policy = policyOf(headers);
      expect(policy.get("frame-ancestors")).toBe("'none'");
      expect(policy.get("default-src")).toBe("'self'");
      expect([policy.get("object-src"), policy.get("base-uri")]).toEqual(["'none'", "'none'"]);
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
      expect(headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
    },
  );

  it.each(["/", "/nobody-is-here"])(
    "runs no scripts but those with its nonce, which is new each time: %s",
    async (path) => {
      const nonces = [];
      for (let n = 0; n < 2; n++) {
        const { headers, raw } = await get(path, "Content-Security-Policy: script-src 'nonce-chosen'");
        const [, nonce] = /'nonce-([A-Za-z0-9+/]{22}==)'/.exec(policyOf(headers).get("script-src") ?? "") ?? [];
        const inline = raw.match(/<script(?![^>]* src=)[^>]*>/g) ?? [];
        expect(inline.length).toBeGreaterThan(0);
        for (const tag of inline) expect(tag).toContain(`nonce="${nonce}"`);
        expect(raw).not.toMatch(/<style(?![^>]* nonce=)|<[^>]* style="|<[^>]* on\w+="/);
        nonces.push(nonce);
      }
      expect(nonces[0]).not.toBe(nonces[1]);
    },
  );
});

describe("a page of the documentation", () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${web.origin}${path}`, { redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const withHeaders = (headers: Record<string, string>) => ({ headers });

  it.each(["/docs", "/docs/api/schedules", "/docs/states"])(
    "is rendered once, and its policy allows the scripts that it has and no others: %s",
    async (path) => {
      const first = await ask(path);
      expect(first.status).toBe(200);
      for (const more of [`${path}?x=1`, path]) {
        for (const encoding of ["gzip", "identity"]) {
          const next = await ask(more, withHeaders({ "accept-encoding": encoding }));
          expect(next.text).toBe(first.text);
          expect(next.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
        }
      }
      const policy = policyOf(first.headers).get("script-src") ?? "";
      const scripts = [...first.text.matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs)].map(
        ([, one = ""]) => one,
      );
      expect(scripts.length).toBeGreaterThan(0);
      const hashes = new Set(scripts.map((one) => `'sha256-${hash("sha256", one, "base64")}'`));
      expect(new Set(policy.split(" "))).toEqual(new Set(["'self'", ...hashes]));
      expect(policyOf(first.headers).get("style-src")).toBe("'self'");
      expect(first.text).not.toMatch(/nonce=|<style|<[^>]* style="|<[^>]* on\w+="/);
    },
  );

  it("lists only the endpoints for API keys with ?for=key, and all endpoints with any other query", async () => {
    const count = (text: string) => text.match(/href="\/docs\/api\/[a-z-]+#\w+"/g)?.length;
    const all = await ask("/docs/api");
    const forKey = await ask("/docs/api?for=key");
    const ofKeys = ENDPOINTS.filter(({ auth }) => auth === "any" || auth === "testKey").length;
    expect(ofKeys).toBeGreaterThanOrEqual(20);
    expect([count(forKey.text), count(all.text)]).toEqual([ofKeys, ENDPOINTS.length + 1]);
    expect((await ask("/docs/api?x=1&for=key")).text).toBe(forKey.text);
    for (const query of ["for=session", "for=key&for=session", "key"]) {
      expect((await ask(`/docs/api?${query}`)).text).toBe(all.text);
    }
    expect((await ask("/docs/limits?for=key")).text).toBe((await ask("/docs/limits")).text);
  });

  it("has the visitor's theme and nothing else that they send", async () => {
    const theme = async (cookie: string) =>
      /data-theme="(\w+)"/.exec((await ask("/docs", withHeaders({ cookie }))).text)?.[1];
    expect([await theme("theme=dark"), await theme("theme=light"), await theme("theme=x")]).toEqual([
      "dark",
      "light",
      "system",
    ]);
    const { text } = await ask(
      "/docs",
      withHeaders({ "x-forwarded-host": "evil.example", "x-request-id": "req_mine" }),
    );
    expect(text).not.toMatch(/evil|req_mine/);
  });

  it("is sent as a document to a caller who asks for the data of a page, and without a body for HEAD", async () => {
    const { text } = await ask("/docs/limits", withHeaders({ rsc: "1", "next-router-prefetch": "1" }));
    expect(text).toMatch(/^<!DOCTYPE html>/);
    const head = await ask("/docs/limits", { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"]);
  });

  it("is 404 when it does not exist, and a redirect when it has moved", async () => {
    expect((await ask("/docs/nothing")).status).toBe(404);
    expect((await ask("/docs/api/nothing")).status).toBe(404);
    expect((await ask("/docs/nothing.md")).status).toBe(404);
    for (const [before, now] of [
      [`/docs/${DOC_PAGES[0]?.slug}`, "/docs"],
      ["/docs/signatures", "/docs/signing"],
      ["/docs/markdown/states", "/docs/states.md"],
      ["/docs/markdown/signatures", "/docs/signatures.md"],
      ["/docs/signatures.md", "/docs/signing.md"],
    ] as const) {
      const moved = await ask(before);
      expect([before, moved.status, moved.headers.get("location")]).toEqual([before, 308, now]);
    }
  });

  it("is there as Markdown, with the address of the installation", async () => {
    const { status, headers, text } = await ask("/docs/times.md");
    expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text).toMatch(/^# Times and time zones\n/);
  });
});

describe("a search of the documentation", () => {
  const search = async (q: string) => {
    const answer = await fetch(`${web.origin}/docs/search?${new URLSearchParams({ q })}`);
    return { status: answer.status, text: await answer.text() };
  };

  it("is a form, and its answer a page with links to headings and the words marked", async () => {
    const { status, text } = await search("rotate secrets");
    expect(status).toBe(200);
    expect(text).toMatch(
      /<form(?=[^>]* action="\/docs\/search")[^>]*>.*?<input(?=[^>]* name="q")[^>]* value="rotate secrets"/s,
    );
    expect(text).toMatch(/<a[^>]* href="\/docs\/rotate-secrets"[^>]*>.*?<mark>Rotate<\/mark>/s);
    expect(text).toContain('<meta name="robots" content="noindex"');
  });

  it.each([
    ["", "For a word of a page"],
    ["xylophone", "Nothing found"],
    ["?!", "has no letter and no digit"],
    ["a".repeat(201), "at most 200 characters, and this one has 201"],
    ["cancle a schedule", "Did you mean"],
    ['<script>"', "places, the best first"],
  ])("says of %j what came of it", async (q, words) => {
    const { status, text } = await search(q);
    expect(status).toBe(200);
    expect(text).toContain(words);
    expect(text).not.toContain('<script>"');
  });
});

it("/llms-full.txt has all pages as one text, and /llms.txt lists them with it", async () => {
  const ask = async (path: string) => {
    const answer = await fetch(web.origin + path);
    return { type: answer.headers.get("content-type"), text: await answer.text() };
  };
  const [list, full] = [await ask("/llms.txt"), await ask("/llms-full.txt")];
  expect(full.type).toBe("text/plain; charset=utf-8");
  expect(list.text).toContain("/llms-full.txt");
  for (const { slug, title } of DOC_PAGES) {
    expect(list.text).toMatch(new RegExp(`^- \\[.+\\]\\(https://\\S+/docs/${slug}\\.md\\): .+$`, "m"));
    expect(full.text).toContain(`# ${title}`);
  }
});

it("/.well-known/security.txt is a file as RFC 9116 describes it where the operator names a contact", async () => {
  const answer = await fetch(`${web.origin}/.well-known/security.txt`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const lines = (await answer.text()).trimEnd().split("\n");
  expect(lines[0]).toBe("Contact: mailto:security@example.com");
  expect(lines[1]).toMatch(/^Expires: \d{4}-\d{2}-\d{2}T00:00:00\.000Z$/);
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^Canonical: http\S+\/\.well-known\/security\.txt$/)]);
});

describe("an answer of the API", () => {
  it.each(["/v1/schedules", "/v1/nope", "/v1/openapi.json", "/v1/status/punctuality", "/healthz", "/readyz"])(
    "has no header in Vary that is meant for pages: %s",
    async (path) => {
      for (const encoding of ["identity", "gzip"]) {
        const { headers } = await get(path, `Accept-Encoding: ${encoding}`);
        expect(headers.get("vary") ?? "Accept-Encoding").toBe("Accept-Encoding");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
      }
    },
  );
});

describe("a request with", () => {
  it.each([
    ["two Host headers", "/v1/openapi.json", ["host: y"]],
    ["two Authorization headers", "/v1/openapi.json", ["Authorization: Bearer a", "AUTHORIZATION: Bearer b"]],
    ["two Host headers to a page", "/", ["Host: x"]],
    ["two Authorization headers to a health endpoint", "/healthz", ["Authorization: a", "Authorization: a"]],
  ])("%s is VALIDATION", async (_, path, headers) => {
    const { status, text } = await get(path, ...headers);
    expect([status, JSON.parse(text).error.code]).toEqual([400, "VALIDATION"]);
  });

  it("one of each is answered", async () => {
    expect(await get("/v1/openapi.json", "Authorization: Bearer a")).toMatchObject({ status: 200 });
  });
});

describe("the output of the web process", () => {
  it("is one JSON object a line, whichever code writes it, and contains no header of a caller", async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="0"\r\n\r\n[]\r\n--x--\r\n';
    const action = (id: string) =>
      sendRaw(
        web.port,
        `POST /schedules/new HTTP/1.1\r\nHost: x\r\nConnection: close\r\nNext-Action: ${id}\r\n` +
          `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    await action("sw_live_secret-of-a-caller");
    await action("0".repeat(42));
    for (const about of ["Invalid Server Action", "Failed to find Server Action"]) {
      await waitFor("the framework writes about it", () => web.lines().some((line) => line.includes(about)));
    }
    expect(web.lines().join("\n")).not.toContain("secret-of-a-caller");
    for (const line of web.lines()) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), part: "web" });
  });
});

describe("callers who break their connections", () => {
  it("cause one log line a minute, with a count", async () => {
    const before = web.lines().length;
    const leave = (bytes: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(web.port, "127.0.0.1", () => {
          socket.write(bytes);
          setTimeout(() => socket.resetAndDestroy(), 100);
        });
        socket.on("error", () => {}).on("close", () => resolve());
      });
    const post = "POST /schedules/new HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded";
    await Promise.all(
      Array.from({ length: 20 }, () => [
        sendRaw(web.port, "nonsense\r\n\r\n"),
        leave("GET /doc"),
        leave("GET /login HTTP/1.1\r\nHost: x\r\n\r\n"),
        leave(`${post}\r\nContent-Length: 100\r\n\r\nhalf`),
        leave(`${post.replace("/schedules/new", "/login/send")}\r\nContent-Length: 100\r\n\r\nhalf`),
      ]).flat(),
    );
    const written = () =>
      web
        .lines()
        .slice(before)
        .map((line) => JSON.parse(line));
    const broken = () => written().filter(({ msg }) => /connections broken/.test(msg));
    await waitFor("it is logged", () => broken().length > 0);
    expect(broken()).toHaveLength(1);
    expect(written().filter(({ msg }) => !/connections broken/.test(msg))).toEqual([]);
  });
});

it("the image optimizer is off, so nobody can make the service resize images", async () => {
  for (const query of ["", "?url=%2Fx.png&w=640&q=75", "?url=https%3A%2F%2Fexample.com%2Fa.png&w=640&q=75"]) {
    expect(await get(`/_next/image${query}`)).toMatchObject({ status: 404 });
  }
});

describe("the page that a notice links to", () => {
  it("asks for confirmation, changes nothing when it is opened, and turns notices off by its button alone", async () => {
    const sql = postgres(database.url, { max: 1 });
    try {
      const id = newId(Date.now());
      await sql`INSERT INTO accounts (id, email, plan) VALUES (${id}, ${`${id}@example.com`}, 'free')`;
      const token = unsubscribeToken(await readUnsubscribeKey(sql as never, parseKeyRing(ENCRYPTION_KEYS)), id);
      const wants = async () => (await sql`SELECT notices FROM accounts WHERE id = ${id}`)[0]?.notices;

      const { raw } = await get(`/unsubscribe?token=${token}`);
      const [, action] = /<form [^>]*action="([^"]+)" method="post"/.exec(raw) ?? [];
      expect(action).toBe(`/v1/notices/unsubscribe?token=${token}&amp;answer=page`);
      expect(raw).toContain('<meta name="robots" content="noindex"');
      expect(await wants()).toBe(true);

      const posted = await sendRaw(
        web.port,
        `POST ${action?.replace("&amp;", "&")} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      expect([posted.status, posted.headers.get("location")]).toEqual([303, "/unsubscribe?done=1"]);
      expect(await wants()).toBe(false);
      expect((await get("/unsubscribe?done=1")).raw).toContain("Notices are off");
    } finally {
      await sql.end();
    }
  });

  it.each(["", "?token=", "?token=abc", "?token=a&token=b"])(
    "tells the reader that the link is incomplete: %j",
    async (query) => {
      const { status, raw } = await get(`/unsubscribe${query}`);
      expect(status).toBe(200);
      expect(raw).toContain("This link is not complete");
      expect(raw).not.toContain("<form");
    },
  );
});
