/** A request that the service hands over, as its target would get it. */
export type Delivery = {
  /** Names the exchange: one attempt on its way through this listener. */
  id: string;
  scheduleId: string;
  /** Counts from 1. */
  attempt: number;
  /** When the service gives the attempt up, epoch ms by its clock. */
  deadlineMs: number;
  method: string;
  /** Path and query. */
  path: string;
  headers: [name: string, value: string][];
  body: Buffer;
};

/** Reads the data of a `delivery` event. Throws when it is not one. */
export function readDelivery(data: unknown): Delivery {
  const { id, schedule_id, attempt, deadline, method, path, headers, body } = data as Record<string, unknown>;
  const deadlineMs = typeof deadline === "string" ? Date.parse(deadline) : Number.NaN;
  const isValid =
    [id, schedule_id, method, path, body].every((value) => typeof value === "string") &&
    Number.isSafeInteger(attempt) &&
    Number.isFinite(deadlineMs) &&
    isHeaderList(headers);
  if (!isValid) throw new Error("the service sent a delivery that this version cannot read");
  return {
    id: id as string,
    scheduleId: schedule_id as string,
    attempt: attempt as number,
    deadlineMs,
    method: method as string,
    path: path as string,
    headers: headers as [string, string][],
    body: Buffer.from(body as string, "base64"),
  };
}

/** The value of a header of a delivery; the first one, whatever the case of its name. */
export function headerOf(delivery: Delivery, name: string): string | undefined {
  return delivery.headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

const isHeaderList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"));
