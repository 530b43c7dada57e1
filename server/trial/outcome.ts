import { AppError } from "#domain/errors.ts";
import { ok, type Reply } from "../http/reply.ts";
import { readTrial } from "./read.ts";

/** What the script of a trial's page asks for: whether it has ended, and how late its first byte was, ms. */
export async function answerOutcome(_request: Request, { params }: { params: Promise<unknown> }): Promise<Reply> {
  const trial = await readTrial(((await params) as { id: string }).id);
  if (trial === undefined) throw new AppError("NOT_FOUND", "There is no such trial.");
  return ok({ done: trial.isOver, offset_ms: trial.offsetMs });
}
