import type { ErrorDetail } from "#domain/errors.ts";
import type { BodyMemory } from "./body-memory.ts";
import { OPEN_ARRAY, OPEN_OBJECT } from "./json-bytes.ts";
import type { JsonVisitor } from "./json-scanner.ts";
import { JsonText, parseJson, tooManyValues, VALUES_MAX } from "./json-text.ts";
import { readJsonBytes, refuseRoot } from "./read-json.ts";
import type { ReceivedBytes } from "./received-bytes.ts";

/** One item of a list: a valid JSON text. Items are taken in order, each once. */
class JsonItem {
  readonly #bytes: ReceivedBytes;
  readonly #from: number;
  readonly byteLength: number;

  constructor(bytes: ReceivedBytes, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.byteLength = to - from;
  }

  /** Parses the item, and lets go of the bytes up to its end. */
  take(): unknown {
    const to = this.#from + this.byteLength;
    const value = parseJson(this.#bytes.slice(this.#from, to));
    this.#bytes.forget(to);
    return value;
  }
}

type Options = { name: string; itemsMax: number; bytesMax: number; memory: BodyMemory };

/**
 * Reads a JSON object whose field `name` is an array, such as `{"schedules":[…]}`. The items are `JsonItem`s, so that a
 * list takes little more memory than its bytes. Of every other field, and of `name` when it is no array, only the name is
 * read: the value is null if it is null, else true. Throws what `readJson` throws, and VALIDATION at the first item beyond
 * `itemsMax`, or the first name or element beyond `VALUES_MAX` in an item or outside of them.
 */
export async function readJsonList(
  request: Request,
  { name, itemsMax, bytesMax, memory }: Options,
): Promise<Record<string, unknown>> {
  const list = new ListVisitor(name, itemsMax);
  const text = new JsonText(list);
  const take = (piece: Uint8Array, received: ReceivedBytes) => {
    list.received = received;
    text.push(piece);
  };
  const bytes = await readJsonBytes(request, { bytesMax, memory, take });
  await text.finish(bytes);
  if (list.rootByte !== OPEN_OBJECT) refuseRoot(list.rootByte);
  return Object.fromEntries(list.fields);
}

/** Names up to this size are decoded. No known name is longer, even with every character escaped. */
const NAME_BYTES_MAX = 2_000;

class ListVisitor implements JsonVisitor {
  readonly fields = new Map<string, unknown>();
  rootByte = 0;
  received: ReceivedBytes | undefined;
  readonly #name: string;
  readonly #itemsMax: number;
  #field = "";
  /** The items of the list, while it is being read. */
  #items: JsonItem[] | undefined;
  #itemFrom = 0;
  #valuesOfItem = 0;
  #otherValues = 0;

  constructor(name: string, itemsMax: number) {
    this.#name = name;
    this.#itemsMax = itemsMax;
  }

  valueBegins(depth: number, at: number, firstByte: number): ErrorDetail | undefined {
    if (depth === 0) {
      this.rootByte = firstByte;
    } else if (depth === 1) {
      const isList = this.#field === this.#name && firstByte === OPEN_ARRAY && this.rootByte === OPEN_OBJECT;
      this.#items = isList ? [] : undefined;
      this.fields.set(this.#field, this.#items ?? (firstByte === LETTER_N ? null : true));
      return this.#countOther();
    } else if (this.#items === undefined) {
      return this.#countOther();
    } else if (depth === 2) {
      if (this.#items.length === this.#itemsMax) return this.#tooManyItems();
      this.#itemFrom = at;
      this.#valuesOfItem = 0;
    } else {
      this.#valuesOfItem += 1;
      if (this.#valuesOfItem > VALUES_MAX) return tooManyValues(`${this.#name}.${this.#items.length}`);
    }
    return undefined;
  }

  valueEnds(depth: number, to: number): void {
    if (depth === 2) this.#items?.push(new JsonItem(this.received as ReceivedBytes, this.#itemFrom, to));
  }

  nameEnds(depth: number, from: number, to: number): void {
    if (depth === 1) this.#field = nameIn(this.received as ReceivedBytes, from, to);
  }

  #countOther(): ErrorDetail | undefined {
    this.#otherValues += 1;
    return this.#otherValues > VALUES_MAX ? tooManyValues("") : undefined;
  }

  #tooManyItems(): ErrorDetail {
    return { path: this.#name, message: `must have at most ${this.#itemsMax} items on this plan` };
  }
}

const LETTER_N = 0x6e;

function nameIn(bytes: ReceivedBytes, from: number, to: number): string {
  if (to - from <= NAME_BYTES_MAX) return parseJson(bytes.slice(from, to)) as string;
  return bytes.slice(from + 1, from + NAME_BYTES_MAX).toString();
}
