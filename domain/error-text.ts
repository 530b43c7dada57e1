import { cleanErrorText, firstCharacters, TEXT_LENGTH_MAX } from "./clean-error-text.ts";
import { comparedValues, type RequestParts } from "./compared-values.ts";
import { codesText, foldPlaces, foldText } from "./folded-text.ts";
import { RUN_LENGTH, type SharedRun, sharedRuns } from "./shared-runs.ts";
import { decodings, type Wanted } from "./text-decodings.ts";
import { wholeRuns } from "./whole-values.ts";

/** Stored instead of what a response repeats of the request. */
export const REPEATED_REQUEST = "[response repeated the request]";

/**
 * The error text of a failed attempt: the start of the response, cleaned. What it repeats of the request, 16 characters or
 * more or a whole value of 8, is replaced by `REPEATED_REQUEST`; where the rest, decoded in any way, still repeats some of it, all of the text
 * is. `raw` is the text of all of `body`, the bytes that were read, so that a value cut off by the limit is still
 * recognised. The bytes are also compared as UTF-8, in case `raw` was read by a charset that is not theirs.
 */
export function failureText(raw: string, parts: RequestParts, body: Buffer): string {
  const keptLength = firstCharacters(raw).length;
  const values = foldedValues(parts);
  const compared = raw.slice(0, keptLength + COMPARED_BEYOND_LENGTH);
  const masked = maskRepeats(compared, keptLength, values);
  if (masked === null) return REPEATED_REQUEST;
  const utf8 = body.toString("utf8");
  if (utf8 !== raw) {
    const sameLength = Math.ceil((utf8.length / raw.length) * compared.length);
    const other = maskRepeats(utf8.slice(0, sameLength), sameLength, values);
    const isMasked = (run: string) => masked.repeated.some((it) => it.includes(run));
    if (other === null || !other.repeated.every(isMasked)) return REPEATED_REQUEST;
  }
  return cleanErrorText(masked.text);
}

// A run of 16 characters that begins among those stored ends within this, though each takes 27: percent-encoded UTF-8 of
// three bytes, percent-encoded again (%25XX) and as an entity.
const COMPARED_BEYOND_LENGTH = 27 * RUN_LENGTH;

type Values = { long: string[]; short: string[]; wanted: Wanted };
type Span = [start: number, end: number];

function foldedValues(parts: RequestParts): Values {
  const { long, short } = comparedValues(parts);
  const length = Math.min(RUN_LENGTH, ...short.map((it) => it.length));
  const isWide = [...long, ...short].some(
    (value) => Buffer.byteLength(value) > value.length && /[^\0-\xff]/.test(value),
  );
  return { long, short, wanted: { length, isWide } };
}

/**
 * The first `keptLength` code units of a text with `REPEATED_REQUEST` in place of each part of a value, and these parts as
 * they were compared. Null when the rest of the text repeats a value, too.
 */
function maskRepeats(text: string, keptLength: number, values: Values): { text: string; repeated: string[] } | null {
  const readings = decodings(text, values.wanted);
  const runs = repeatedRuns([text, ...readings], values);
  const own = runs.filter((run) => run.text === 0);
  if (own.length === 0) return runs.length > 0 ? null : { text: text.slice(0, keptLength), repeated: [] };
  const spans = merged(own.map((run) => spanOf(run, text)));
  if (repeats(replaced(text, spans), values)) return null;
  // A mask near the end begins so early that all of it is kept.
  const lastStart = firstCharacters(text, TEXT_LENGTH_MAX - REPEATED_REQUEST.length).length;
  const kept = spans
    .filter(([start]) => start < keptLength)
    .map(([start, end]): Span => [Math.min(start, lastStart), Math.min(end, keptLength)]);
  return {
    text: replaced(text.slice(0, keptLength), merged(kept)),
    repeated: spans.map(([start, end]) => codesText(foldText(text.slice(start, end)).dense)),
  };
}

function repeats(text: string, values: Values): boolean {
  return repeatedRuns([text, ...decodings(text, values.wanted)], values).length > 0;
}

function repeatedRuns(texts: readonly string[], { long, short }: Values): SharedRun[] {
  const folded = texts.map(foldText);
  return [...sharedRuns(folded, long), ...wholeRuns(folded, short)];
}

/** Where a run stands in the text, without the white space around it. */
function spanOf({ fold, start, end }: SharedRun, text: string): Span {
  const places = foldPlaces(text, fold);
  const [from, to] = [places[start] as number, (places[end - 1] as number) + 1];
  const part = text.slice(from, to);
  return [to - part.trimStart().length, from + part.trimEnd().length];
}

/** Spans in their order; those that touch are one. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const [start, end] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function replaced(text: string, spans: readonly Span[]): string {
  const after = spans.map(([, end], at) => text.slice(end, spans[at + 1]?.[0]));
  return [text.slice(0, spans[0]?.[0]), ...after].join(REPEATED_REQUEST);
}
