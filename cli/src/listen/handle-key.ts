import { isUtf8 } from "node:buffer";
import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import { printable } from "../output/printable.ts";
import type { Delivery } from "./delivery.ts";

type KeyDeps = {
  /** The delivery that came last. */
  last: Delivery | undefined;
  client: Pick<Stopwatch, "schedules">;
  say(message: string): void;
  quit(): void;
};

/** Does what a key stands for: `r` replays the last delivery as a new schedule, `o` prints its body, `q` ends. */
export async function handleKey(key: string, { last, client, say, quit }: KeyDeps): Promise<void> {
  if (key === "q") return quit();
  if (key !== "r" && key !== "o") return;
  if (!last) return say("No delivery has come yet.");
  if (key === "o") return say(bodyText(last.body));
  try {
    const { id } = await client.schedules.replay(last.scheduleId);
    say(`Replaying ${last.scheduleId} as ${id}.`);
  } catch (error) {
    if (!StopwatchError.is(error)) throw error;
    say(`${last.scheduleId} cannot be replayed: ${printable(error.message)}.`);
  }
}

function bodyText(body: Buffer): string {
  if (body.length === 0) return "The delivery has no body.";
  if (!isUtf8(body)) return `The body is ${body.length} bytes that are not text.`;
  return body.toString().split("\n").map(printable).join("\n");
}
