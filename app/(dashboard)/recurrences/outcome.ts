import type { Flash } from "#server/http/flash-cookie.ts";

const RESULTS = new Map([
  ["created", "Created."],
  ["changed", "Saved."],
  ["paused", "Paused."],
  ["resumed", "Resumed: it goes on from now."],
  ["deleted", "Deleted."],
]);

/** What a form did to a recurrence, with what became of the occurrences that were made before. */
export function outcomeInWords(flash: Flash | undefined): string | undefined {
  const said = flash && RESULTS.get(flash.result);
  if (said === undefined) return undefined;
  const [taken, inFlight] = [Number(flash?.taken ?? 0), Number(flash?.inFlight ?? 0)];
  const words = [said];
  if (taken > 0) words.push(`${taken === 1 ? "One occurrence was" : `${taken} occurrences were`} taken back.`);
  if (inFlight > 0) words.push(`${inFlight === 1 ? "One is" : `${inFlight} are`} being sent, and may still arrive.`);
  return words.join(" ");
}
