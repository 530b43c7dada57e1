import { z } from "zod";
import { validate } from "#contract/inputs/validate.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { Unauthorized } from "#domain/errors.ts";
import { findDocPages } from "../docs/find-pages.ts";
import { docHref } from "../docs/pages.ts";
import { ok, type Reply } from "../http/reply.ts";
import { readPageCtx } from "../page-ctx.ts";
import { findTyped } from "./find-typed.ts";

const TEXT_LENGTH_MAX = 400;

const FindInput = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(TEXT_LENGTH_MAX, `must have at most ${TEXT_LENGTH_MAX} characters`),
  env: z.enum(ENVIRONMENTS).default("live"),
});

/**
 * The reply to the palette of a page, which asks while somebody types: the schedules and the pages of the documentation that `q`
 * may mean. Counts as a refresh.
 */
export async function answerFind({ url, headers }: Pick<Request, "url" | "headers">): Promise<Reply> {
  const { q, env } = validate(FindInput, Object.fromEntries(new URL(url).searchParams));
  const ctx = await readPageCtx(headers, { env, isRefresh: true });
  if (ctx === null) throw new Unauthorized();
  const docs = findDocPages(q).map((page) => ({ title: page.title, href: docHref(page) }));
  return ok({ schedules: await findTyped(ctx, q), docs });
}
