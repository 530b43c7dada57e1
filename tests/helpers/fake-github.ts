import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "#scripts/lab/http-server.ts";

export type GitHubUser = { id: number; login: string; name: string | null; email: string; isVerified: boolean };

export type FakeGitHub = {
  /** For AUTH_GITHUB_BASE_URL, AUTH_GITHUB_ID and AUTH_GITHUB_SECRET. */
  url: string;
  id: string;
  secret: string;
  /** The only address that it redirects people to. */
  redirectUri: string;
  /** The person who is signed in at the provider. */
  user: GitHubUser;
  /** The access tokens that it issued. */
  tokens: string[];
  stop(): Promise<void>;
};

type Grant = { user: GitHubUser; challenge: string };

/**
 * A server that speaks like GitHub (OAuth, /user, /user/emails) and is strict where GitHub is lenient: client, secret,
 * redirect address, state and PKCE have to be right, a code works once, and every answer needs its token.
 */
export async function startFakeGitHub(): Promise<FakeGitHub> {
  const grants = new Map<string, Grant>();
  const byToken = new Map<string, GitHubUser>();
  const { origin, close } = await serveHttp((request, response) => {
    const url = new URL(request.url ?? "", "http://fake");
    const handle = ROUTES[`${request.method} ${url.pathname}`];
    if (!handle) return refuse(response, 404, "no such address");
    return handle(request, response, url);
  });

  const ROUTES: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => unknown> = {
    "GET /login/oauth/authorize"(_, response, { searchParams: query }) {
      const problem = problemOf(query);
      if (problem) return refuse(response, 400, problem);
      const code = randomUUID();
      grants.set(code, { user: fake.user, challenge: query.get("code_challenge") ?? "" });
      const back = (answer: Record<string, string>) => {
        const params = { ...answer, state: query.get("state") ?? "", iss: `${fake.url}/login/oauth` };
        return `${fake.redirectUri}?${new URLSearchParams(params)}`.replaceAll("&", "&amp;");
      };
      const refused = { error: "access_denied", error_description: "The user has denied your application access." };
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><h1>Authorize Stopwatch</h1>
        <a id="authorize" href="${back({ code })}">Authorize</a> <a id="cancel" href="${back(refused)}">Cancel</a>`);
    },
    async "POST /login/oauth/access_token"(request, response) {
      const form = new URLSearchParams(await text(request));
      const basic = `Basic ${Buffer.from(`${fake.id}:${fake.secret}`).toString("base64")}`;
      if (request.headers.authorization !== basic) return answer(response, { error: "incorrect_client_credentials" });
      const grant = grants.get(form.get("code") ?? "");
      grants.delete(form.get("code") ?? "");
      const verifier = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (!grant || grant.challenge !== verifier) return answer(response, { error: "bad_verification_code" });
      if (form.get("redirect_uri") !== fake.redirectUri) return answer(response, { error: "redirect_uri_mismatch" });
      const token = `gho_${randomUUID()}`;
      byToken.set(token, grant.user);
      fake.tokens.push(token);
      // GitHub answers in JSON only when asked to, and in form encoding otherwise.
      if (!request.headers.accept?.includes("application/json")) return response.end(`access_token=${token}`);
      answer(response, { access_token: token, token_type: "bearer", scope: "read:user,user:email" });
    },
    "GET /api/v3/user"(request, response) {
      const user = whose(request);
      if (!user) return refuse(response, 401, "Bad credentials");
      const { id, login, name } = user;
      answer(response, { id, login, name, email: null, avatar_url: "https://avatars.example/u/1" });
    },
    "GET /api/v3/user/emails"(request, response) {
      const user = whose(request);
      if (!user) return refuse(response, 401, "Bad credentials");
      answer(response, [
        { email: "other@example.com", primary: false, verified: true },
        { email: user.email, primary: true, verified: user.isVerified },
      ]);
    },
  };

  const whose = (request: IncomingMessage) => byToken.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");

  const problemOf = (query: URLSearchParams) => {
    if (query.get("client_id") !== fake.id) return "another client";
    if (query.get("redirect_uri") !== fake.redirectUri) return `not registered: ${query.get("redirect_uri")}`;
    if (query.get("response_type") !== "code") return "response_type is not code";
    if (!query.get("state")) return "no state";
    if (!query.get("code_challenge") || query.get("code_challenge_method") !== "S256") return "no PKCE";
    return query.get("scope") === "read:user user:email" ? undefined : `another scope: ${query.get("scope")}`;
  };

  const fake: FakeGitHub = {
    url: origin,
    id: "github-client",
    secret: "github-secret",
    redirectUri: "",
    user: { id: 1, login: "ada", name: "Ada", email: "ada@example.com", isVerified: true },
    tokens: [],
    stop: close,
  };
  return fake;
}

function answer(response: ServerResponse, value: object) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, message: string) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message }));
}
