import type { Answer } from "./fake-service.ts";
import { json } from "./fake-service.ts";

type Sent = { idempotencyKey: string; targetUrl: string; [field: string]: unknown };

/**
 * Answers bulk calls as the service does: stores each item once by its key, and refuses those whose target has the text
 * `refuse`. It answers calls once `together` of them wait. `fault` may answer a call of given items in its place; with
 * `isStored` they are stored nonetheless.
 */
export function bulkService({
  itemsMax = 3,
  together = 1,
  fault,
}: {
  itemsMax?: number;
  together?: number;
  fault?: (items: Sent[], call: number) => { answer: Answer; isStored?: boolean } | undefined;
} = {}) {
  const stored = new Map<string, string>();
  const batches: Sent[][] = [];
  const bytes: number[] = [];
  let waiting: (() => void)[] = [];
  let mostWaiting = 0;
  const answer: Answer = (request, response, socket) => {
    if (request.url === "/v1/usage") return json(200, { limits: { bulk_items: itemsMax } })(request, response, socket);
    const items: Sent[] = request.body.schedules;
    batches.push(items);
    bytes.push(Buffer.byteLength(request.text));
    const accepted: object[] = [];
    const rejected: object[] = [];
    const faulty = fault?.(items, batches.length);
    for (const [index, { idempotencyKey, targetUrl }] of items.entries()) {
      if (targetUrl.includes("refuse")) rejected.push({ index, code: "VALIDATION", message: "no" });
      else {
        const known = stored.get(idempotencyKey);
        const id = known ?? `sch_${stored.size}`;
        if (!faulty || faulty.isStored) stored.set(idempotencyKey, id);
        accepted.push({
          index,
          id,
          fire_at: "2031-01-01T00:00:00.000Z",
          status: "scheduled",
          ...(known && { replayed: true }),
        });
      }
    }
    if (faulty) return faulty.answer(request, response, socket);
    waiting.push(() => json(200, { accepted, rejected })(request, response, socket));
    mostWaiting = Math.max(mostWaiting, waiting.length);
    if (waiting.length === together) setTimeout(answerAll, 5);
  };
  // In a later turn, so that a call more than those is counted too.
  const answerAll = () => {
    const answers = waiting;
    waiting = [];
    for (const answerOne of answers) answerOne();
  };
  return { answer, stored, batches, bytes, mostWaiting: () => mostWaiting };
}
