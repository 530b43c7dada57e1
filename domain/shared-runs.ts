import { randomInt } from "node:crypto";
import { BLANK, codesText, FOLDS, type Fold, type FoldedText, foldBriefly, foldText } from "./folded-text.ts";
import { PUBLIC_TEXTS } from "./public-texts.ts";

/** As many characters in common, as UTF-16 code units, make a text repeat a value. */
export const RUN_LENGTH = 16;

/** A part of the text with this index that a value has too: codes `start` to `end` of its fold. */
export type SharedRun = { text: number; fold: Fold; start: number; end: number };

/**
 * The longest parts of texts that stand in values too, from `RUN_LENGTH` characters on. Left out are runs of one
 * character, runs that are mostly white space, and `PUBLIC_TEXTS`. Time is linear in the length of texts and values.
 */
export function sharedRuns(texts: readonly FoldedText[], values: readonly string[]): SharedRun[] {
  const segments = texts.flatMap(segmentsOf);
  const index = new RunIndex(segments);
  for (const value of values) {
    const codes = foldBriefly(value);
    for (const fold of FOLDS) index.find(codes[fold]);
  }
  return index.foundAny ? segments.flatMap((segment) => runsOf(segment, index)) : [];
}

type Segment = { text: number; fold: Fold; codes: Uint16Array; offset: number };

/** A run has so many codes that are not white space. */
const NOT_BLANK_MIN = 6;
/**
 * Values are searched by one anchor in eight codes: every run has one inside it, as 9 + 7 are 16. Only where a text has
 * the anchor, too, the runs around it are looked up.
 */
const ANCHOR_LENGTH = 9;
const ANCHOR_STEP = RUN_LENGTH - ANCHOR_LENGTH + 1;
// Of the process alone, so that nobody can choose texts with equal hashes.
const HASH_BASE = 2 * randomInt(2 ** 20, 2 ** 30) + 1;
const SPREAD = 0x9e3779b1;

const power = (exponent: number) =>
  Array.from({ length: exponent }).reduce<number>((product) => Math.imul(product, HASH_BASE), 1);
const BASE_TO_RUN = power(RUN_LENGTH);
const BASE_TO_ANCHOR = power(ANCHOR_LENGTH);

/** The folds of a text that differ. */
function segmentsOf(text: FoldedText, index: number): Segment[] {
  return FOLDS.filter((fold, at) => at === 0 || text[fold].length < text[FOLDS[at - 1] as Fold].length).map((fold) => ({
    text: index,
    fold,
    codes: text[fold],
    offset: 0,
  }));
}

/** The runs of texts by their polynomial hashes, compared exactly when hashes are equal (Rabin-Karp). */
class RunIndex {
  foundAny = false;
  readonly #codes: Uint16Array;
  /** `#sums[n]` is the hash of the first n codes, so that of any part is a difference of two. */
  readonly #sums: Int32Array;
  /** The first place of each run, plus one, at the slot of its hash or behind it. */
  readonly #slots: Int32Array;
  readonly #shift: number;
  /** One bit for each hash of an anchor, 16 times as many as slots. */
  readonly #anchors: Int32Array;
  readonly #isFound: Uint8Array;

  constructor(segments: readonly Segment[]) {
    const length = segments.reduce((sum, { codes }) => sum + codes.length, 0);
    const bits = Math.max(8, 33 - Math.clz32(length));
    this.#codes = new Uint16Array(length);
    this.#sums = new Int32Array(length + 1);
    this.#slots = new Int32Array(1 << bits);
    this.#shift = 32 - bits;
    this.#isFound = new Uint8Array(length);
    this.#anchors = new Int32Array(1 << (bits - 1));
    let offset = 0;
    for (const segment of segments) {
      segment.offset = offset;
      this.#codes.set(segment.codes, offset);
      offset += segment.codes.length;
    }
    for (let at = 0; at < length; at++) {
      this.#sums[at + 1] = (Math.imul(this.#sums[at] as number, HASH_BASE) + (this.#codes[at] as number)) | 0;
    }
    for (const { offset: from, codes } of segments) this.#add(from, from + codes.length);
  }

  #add(from: number, to: number): void {
    const [codes, sums, anchors, anchorShift] = [this.#codes, this.#sums, this.#anchors, this.#shift - 4];
    let notBlank = 0;
    let last = -1;
    let change = -1;
    for (let end = from + 1; end <= to; end++) {
      const code = codes[end - 1] as number;
      if (code !== BLANK) {
        if (last >= 0 && codes[last] !== code) change = last;
        last = end - 1;
        notBlank++;
      }
      if (end - from >= ANCHOR_LENGTH) {
        const hash = (sums[end] as number) - Math.imul(sums[end - ANCHOR_LENGTH] as number, BASE_TO_ANCHOR);
        const bit = Math.imul(hash, SPREAD) >>> anchorShift;
        anchors[bit >>> 5] = (anchors[bit >>> 5] as number) | (1 << (bit & 31));
      }
      const start = end - RUN_LENGTH;
      if (start < from) continue;
      if (start > from && codes[start - 1] !== BLANK) notBlank--;
      if (notBlank < NOT_BLANK_MIN || change < start) continue;
      const hash = this.#hashAt(start);
      const slot = this.#slotOf(hash, codes, start);
      if (this.#slots[slot] === 0) this.#slots[slot] = start + 1;
    }
  }

  /** Marks the runs of the texts that are in a value. */
  find(value: Uint16Array): void {
    const [anchors, anchorShift] = [this.#anchors, this.#shift - 4];
    let next = 0;
    let hash = 0;
    for (let at = 0; at + ANCHOR_LENGTH <= value.length; at += ANCHOR_STEP) {
      let anchor = 0;
      for (let place = at; place < at + ANCHOR_LENGTH; place++) {
        anchor = Math.imul(anchor, HASH_BASE) + (value[place] as number);
      }
      const bit = Math.imul(anchor, SPREAD) >>> anchorShift;
      if (((anchors[bit >>> 5] as number) & (1 << (bit & 31))) === 0) continue;
      const lastStart = Math.min(at, value.length - RUN_LENGTH);
      for (let start = Math.max(0, at - ANCHOR_STEP + 1); start <= lastStart; start++) {
        hash = start === next && start > 0 ? rolled(hash, value, start) : hashOf(value, start);
        next = start + 1;
        if (this.#mark(hash, value, start)) this.foundAny = true;
      }
    }
  }

  /** Whether the run that begins here was found in a value. */
  isFound(place: number): boolean {
    const at = this.#slots[this.#slotOf(this.#hashAt(place), this.#codes, place)] as number;
    return at > 0 && this.#isFound[at - 1] === 1;
  }

  // A run that was found before is not compared again: values repeat what is in them, and equal hashes are rare.
  #mark(hash: number, value: Uint16Array, start: number): boolean {
    const mask = this.#slots.length - 1;
    for (let slot = Math.imul(hash, SPREAD) >>> this.#shift; ; slot = (slot + 1) & mask) {
      const at = (this.#slots[slot] as number) - 1;
      if (at < 0) return false;
      if (this.#hashAt(at) !== hash || (this.#isFound[at] === 0 && !this.#isEqual(at, value, start))) continue;
      this.#isFound[at] = 1;
      return true;
    }
  }

  #hashAt(start: number): number {
    const [sum, before] = [this.#sums[start + RUN_LENGTH] as number, this.#sums[start] as number];
    return (sum - Math.imul(before, BASE_TO_RUN)) | 0;
  }

  /** The slot that has the run, or the free one where it belongs. */
  #slotOf(hash: number, codes: Uint16Array, start: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = Math.imul(hash, SPREAD) >>> this.#shift; ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot] as number;
      if (at === 0 || (this.#hashAt(at - 1) === hash && this.#isEqual(at - 1, codes, start))) return slot;
    }
  }

  #isEqual(place: number, codes: Uint16Array, start: number): boolean {
    for (let n = 0; n < RUN_LENGTH; n++) if (this.#codes[place + n] !== codes[start + n]) return false;
    return true;
  }
}

function hashOf(codes: Uint16Array, start: number): number {
  let hash = 0;
  for (let at = start; at < start + RUN_LENGTH; at++) hash = (Math.imul(hash, HASH_BASE) + (codes[at] as number)) | 0;
  return hash;
}

function rolled(hash: number, codes: Uint16Array, start: number): number {
  const leaving = Math.imul(codes[start - 1] as number, BASE_TO_RUN);
  return (Math.imul(hash, HASH_BASE) + (codes[start + RUN_LENGTH - 1] as number) - leaving) | 0;
}

function runsOf(segment: Segment, index: RunIndex): SharedRun[] {
  const { text, fold, codes, offset } = segment;
  const runs: SharedRun[] = [];
  for (let start = 0; start + RUN_LENGTH <= codes.length; start++) {
    if (!index.isFound(offset + start)) continue;
    const last = runs.at(-1);
    if (last && start <= last.end) last.end = start + RUN_LENGTH;
    else runs.push({ text, fold, start, end: start + RUN_LENGTH });
  }
  if (runs.length === 0) return [];
  const isPublic = publicPlaces(codes, fold);
  return runs.filter(({ start, end }) => {
    const own = isPublic.subarray(start, end).reduce((sum, it) => sum + 1 - it, 0);
    return own >= RUN_LENGTH || own === end - start;
  });
}

/** 1 where a text that is public stands. */
function publicPlaces(codes: Uint16Array, fold: Fold): Uint8Array {
  const text = codesText(codes);
  const places = new Uint8Array(codes.length);
  for (const known of PUBLIC.get(fold) ?? []) {
    for (let at = text.indexOf(known); at >= 0; at = text.indexOf(known, at + 1)) places.fill(1, at, at + known.length);
  }
  return places;
}

const publicTexts = PUBLIC_TEXTS.map((text) => foldText(text));
const PUBLIC = new Map(FOLDS.map((fold) => [fold, publicTexts.map((text) => codesText(text[fold]))] as const));
