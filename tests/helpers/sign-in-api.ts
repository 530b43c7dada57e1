import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { type Answer, call, startApi } from "../integration/api/api.ts";
import { startFakeGitHub } from "./fake-github.ts";
import { startFakeResend } from "./fake-resend.ts";
import { mailedLinks } from "./mailed-links.ts";
import { waitFor } from "./wait-for.ts";

/** The cookies that an answer sets, in the form in which a browser sends them. */
export function cookiesOf({ headers }: { headers: Headers }): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0] as string)
    .filter((pair) => !pair.endsWith("="))
    .join("; ");
}

/** The session cookie that an answer sets; undefined when it sets none. */
export function sessionOf(answer: Answer): string | undefined {
  return /(?:^|; )sw_session=([\w-]{43})(?:;|$)/.exec(cookiesOf(answer))?.[1];
}

export type SignInApi = Awaited<ReturnType<typeof startSignInApi>>;

/** The API with mail and GitHub on this machine. Its public address is https://api.example.com. */
export async function startSignInApi(overrides: Record<string, string> = {}) {
  const [resend, github] = await Promise.all([startFakeResend(), startFakeGitHub()]);
  const api = await startApi({
    SIGNUP: "open",
    RESEND_API_KEY: resend.apiKey,
    RESEND_BASE_URL: resend.baseUrl,
    MAIL_FROM: "hello@stopwatch.example",
    AUTH_GITHUB_ID: github.id,
    AUTH_GITHUB_SECRET: github.secret,
    AUTH_GITHUB_BASE_URL: github.url,
    ...overrides,
  });
  github.redirectUri = `${api.config.baseUrl}/v1/auth/oauth/github/callback`;
  const { sql } = api;
  const { anonymous } = api.services;
  const runs: Promise<unknown>[] = [];
  const { run } = anonymous;
  anonymous.run = (...args) => {
    const result = run.apply(anonymous, args) as ReturnType<typeof run>;
    runs.push(result);
    return result as never;
  };

  const signIn = {
    api,
    sql,
    resend,
    github,
    linksTo: (email: string) => mailedLinks(resend.accepted, email),
    newEmail: () => `${crypto.randomUUID()}@example.com`,
    /** Asks for a link. */
    start: (body: object, headers: Record<string, string> = {}) =>
      call("POST", "/v1/auth/magic/start", null, body, {
        [SOCKET_ADDRESS_HEADER]: socketAddressValue(randomAddress()),
        ...headers,
      }),
    /** Where not everybody may sign up, an address is looked up after the answer: resolves when all that were asked for are. */
    lookedUp: () => Promise.allSettled(runs),
    /** Requests a link and reads it in the mail. `cookie` is the cookie of the browser that requested it. */
    async askForLink(email: string, body: object = {}): Promise<{ link: URL; cookie: string }> {
      const to = email.trim().toLowerCase();
      const before = signIn.linksTo(to).length;
      const answer = await signIn.start({ email, ...body });
      if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`);
      // Where not everybody may sign up, the mail is sent after the answer.
      const link = await waitFor("the mail is there", () => signIn.linksTo(to)[before]);
      return { link, cookie: cookiesOf(answer) };
    },
    /** Opens a URL of the service as a browser does. */
    open: (link: URL, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") =>
      call(method, link.pathname + link.search, null, undefined, headers),
    /** Signs a person in by a link. Returns the session. */
    async session(email: string): Promise<string> {
      const { link, cookie } = await signIn.askForLink(email);
      const session = sessionOf(await signIn.open(link, { cookie }));
      if (!session) throw new Error("no session was started");
      return session;
    },
    /**
     * Goes to GitHub and comes back with its answer. `cookie` is the browser's; `sent` is the request that was made to
     * GitHub.
     */
    async goToGitHub(cookie = "", query = ""): Promise<{ back: URL; cookie: string; sent: URL }> {
      const answer = await call("GET", `/v1/auth/oauth/github/start${query}`, null, undefined, { cookie });
      const sent = new URL(answer.headers.get("location") ?? "");
      const page = await (await fetch(sent)).text();
      const [, href = ""] = /id="authorize" href="([^"]+)"/.exec(page) ?? [];
      const back = new URL(href.replaceAll("&amp;", "&"));
      return { back, cookie: [cookie, cookiesOf(answer)].filter(Boolean).join("; "), sent };
    },
    /** Goes to Google as a browser does, continues there, and comes back with its answer. */
    async throughGoogle(): Promise<Answer> {
      const start = await call("GET", "/v1/auth/oauth/google/start");
      const jar = new Map<string, string>();
      let at = new URL(start.headers.get("location") ?? "");
      for (let hops = 0; hops < 10; hops++) {
        const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
        const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          jar.set(name, value);
        }
        at = new URL(answer.headers.get("location") ?? `${at.pathname}/go-on`, at);
        if (at.href.startsWith(api.config.baseUrl)) return signIn.open(at, { cookie: cookiesOf(start) });
      }
      throw new Error(`Google did not send the person back, but to ${at}`);
    },
    /**
     * Goes to GitHub from the page of a signed-in person that links an identity, and comes back with its answer. `back` is
     * undefined when the start led elsewhere.
     */
    async goToLink(
      session: string | undefined,
      headers: Record<string, string> = { "sec-fetch-site": "same-origin" },
    ): Promise<{ start: Answer; back: URL | undefined; cookie: string }> {
      const own = session === undefined ? "" : `sw_session=${session}`;
      const path = "/v1/auth/oauth/github/start?link=1&redirectTo=/account";
      const start = await call("GET", path, null, undefined, { cookie: own, ...headers });
      const sent = new URL(start.headers.get("location") ?? "", api.config.baseUrl);
      if (sent.origin !== new URL(github.url).origin) return { start, back: undefined, cookie: own };
      const [, href = ""] = /id="authorize" href="([^"]+)"/.exec(await (await fetch(sent)).text()) ?? [];
      const cookie = [own, cookiesOf(start)].filter(Boolean).join("; ");
      return { start, back: new URL(href.replaceAll("&amp;", "&")), cookie };
    },
    /** Links the identity of the person at GitHub to the account of a session. */
    async link(session: string, headers: Record<string, string> = {}): Promise<Answer> {
      const { back, cookie } = await signIn.goToLink(session);
      if (back === undefined) throw new Error("the person was not led to GitHub");
      return signIn.open(back, { cookie, ...headers });
    },
    async accountOf(session: string | undefined): Promise<string | undefined> {
      const answer = await call("GET", "/v1/me", { cookie: `sw_session=${session}` });
      return answer.body.user?.email;
    },
    async count(table: string): Promise<number> {
      const [row] = await sql`SELECT count(*)::integer AS n FROM ${sql(table)}`;
      return row?.n;
    },
    async stop() {
      await api.stop();
      await Promise.all([resend.close(), github.stop()]);
    },
  };
  return signIn;
}

export function randomAddress(): string {
  return `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
}
