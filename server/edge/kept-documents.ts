import { hash } from "node:crypto";
import { IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { readTheme, THEME_COOKIE, type Theme } from "#domain/theme.ts";
import { readCookie } from "../auth/cookies.ts";
import { FOR_KEY_HREF } from "../docs/pages.ts";
import { withPageAnswer } from "../http/page-answer.ts";
import { documentPolicy, markAsGuarded, type PageSettings } from "../http/response-headers.ts";
import { acceptsGzip } from "./accepts-gzip.ts";
import { CapturedResponse } from "./captured-response.ts";

/** Has Next.js answer a request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

type Kept = { status: number; headers: OutgoingHttpHeaders; zipped: Buffer };

/**
 * The pages of the documentation, each rendered once for a theme and kept compressed while the process lives: they depend
 * on nothing else, and rendering the largest takes 100 ms. A kept page has no nonce: its policy names the hashes of its
 * scripts.
 */
export class KeptDocuments {
  readonly #handle: Handle;
  readonly #settings: PageSettings;
  readonly #kept = new Map<string, Promise<Kept>>();

  constructor(handle: Handle, settings: PageSettings) {
    this.#handle = handle;
    this.#settings = settings;
  }

  /** Answers a request for a page that is kept, or returns false. `fail` is called when it could not be rendered. */
  answer(request: IncomingMessage, response: ServerResponse, fail: () => void): boolean {
    const target = documentTarget(request);
    if (target === null) return false;
    const theme = readTheme(readCookie(request.headers.cookie ?? null, THEME_COOKIE)[0]);
    this.#find(target, theme)
      .then((kept) => send(kept, request, response), fail)
      .catch(() => response.destroy());
    return true;
  }

  #find(target: string, theme: Theme): Promise<Kept> {
    const key = `${theme} ${target}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const made = this.#render(target, theme);
    this.#kept.set(key, made);
    const forget = () => this.#kept.delete(key);
    made.then(({ status }) => status === 200 || forget(), forget);
    return made;
  }

  async #render(target: string, theme: Theme): Promise<Kept> {
    const request = new IncomingMessage(new Socket());
    const headers = { host: "localhost", accept: "text/html", cookie: `${THEME_COOKIE}=${theme}` };
    Object.assign(request, { method: "GET", url: target, headers, complete: true });
    request.push(null);
    markAsGuarded(request);
    const response = new CapturedResponse(request);
    withPageAnswer({ request, response }, () => this.#handle(request, response));
    const body = await inTime(response.ended, target);
    const status = response.statusCode;
    if (status >= 500) throw new Error(`${target} could not be rendered`);
    const policy = documentPolicy(scriptHashes(body.toString("utf8")), this.#settings);
    const own = { ...response.getHeaders(), "content-security-policy": policy };
    return { status, headers: own, zipped: await promisify(gzip)(body, { level: 9 }) };
  }
}

async function inTime<T>(work: Promise<T>, target: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${target} was not rendered in time`)), RENDER_MS_MAX);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const RENDER_MS_MAX = 30_000;

/** The address of a page of the documentation, with the one parameter that one of them has; null for anything else. */
function documentTarget({ method, url = "" }: IncomingMessage): string | null {
  // Next.js renders a page for any other method, too.
  if (method === "OPTIONS") return null;
  const [, given = "", query] = /^([^?#]*)\??([^#]*)/.exec(url) ?? [];
  const path = decoded(given);
  if (!DOCUMENT.test(path)) return null;
  const chosen = new URLSearchParams(query).getAll("for").join();
  return `${path}?for=${chosen}` === FOR_KEY_HREF ? FOR_KEY_HREF : path;
}

// Next.js finds the same page under `/docs/%61pi`.
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const DOCUMENT = /^\/docs(?!\/markdown|\/search$)(?:\/[a-z0-9-]+)*$/;

/** The hashes of the scripts in a document, as its policy names them. */
function scriptHashes(html: string): string[] {
  const scripts = [...html.matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
  return [...new Set(scripts.map((script) => `'sha256-${hash("sha256", script, "base64")}'`))];
}

async function send(kept: Kept, { method, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const isZipped = acceptsGzip([headers["accept-encoding"] ?? []].flat().join(","));
  const body = isZipped ? kept.zipped : await promisify(gunzip)(kept.zipped);
  response.statusCode = kept.status;
  for (const [name, value] of Object.entries(kept.headers)) {
    if (value !== undefined && !OWN_HEADERS.has(name)) response.setHeader(name, value);
  }
  response.setHeader("Vary", "Accept-Encoding, Cookie");
  if (isZipped) response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Content-Length", body.length);
  response.end(method === "HEAD" ? undefined : body);
}

/** Headers that belong to one answer. */
const OWN_HEADERS = new Set([
  "connection",
  "content-length",
  "content-encoding",
  "date",
  "etag",
  "keep-alive",
  "set-cookie",
  "transfer-encoding",
  "vary",
]);
