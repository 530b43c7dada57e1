import { readFile } from "node:fs/promises";
import { z } from "zod";
import { docFile } from "./pages.ts";

const ms = z.number().nullable();

const Attempts = z.object({
  items: z.tuple([
    z.object({
      status_code: z.number(),
      attempted_at: z.iso.datetime(),
      timing: z.object({ late: z.number(), claim: ms, wait: ms, connect: ms, first_byte: ms }),
    }),
  ]),
});

/** The attempt in docs/quickstart.md, which the run of its examples has recorded. */
export async function readRecordedAttempt() {
  recorded ??= readFile(docFile("quickstart"), "utf8").then(parseAttempt);
  return recorded;
}

function parseAttempt(page: string) {
  const [, json = ""] = /^```json 200\n(\{\n {2}"items": \[.*?)^```$/ms.exec(page) ?? [];
  const [attempt] = Attempts.parse(JSON.parse(json)).items;
  const { first_byte: firstByte, ...timing } = attempt.timing;
  return {
    attemptedAt: new Date(attempt.attempted_at),
    statusCode: attempt.status_code,
    timing: { ...timing, firstByte },
  };
}

let recorded: Promise<ReturnType<typeof parseAttempt>> | undefined;
