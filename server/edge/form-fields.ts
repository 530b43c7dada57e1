import { invalid } from "#contract/inputs/validate.ts";
import { AppError, type ErrorDetail } from "#domain/errors.ts";
import { JsonScanner } from "../http/json-scanner.ts";
import { tooManyValues, VALUES_MAX } from "../http/json-text.ts";

/** Fields of one form: 50 headers have 100, all others together fewer than 30, and a repeated form carries them twice. */
const FIELDS_MAX = 500;
const FIELD_HEAD_BYTES_MAX = 4 * 1024;

/** The boundary (RFC 2046, section 5.1.1) of a form. Other parameters are refused, so that Next.js reads the same one. */
const TYPE = /^multipart\/form-data; *boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))$/i;

/** The head of a field that people fill in. In others, React keeps the arguments of the action as JSON. */
const TYPED_FIELD = /^content-disposition: form-data; name="(?:\d+_)?[a-z]+"$/i;

/**
 * Counts the fields of a form (RFC 7578) while its bytes arrive, before Next.js parses it; in fields with arguments of
 * an action also the levels of brackets and the values.
 */
export class FormFields {
  readonly #delimiter: Buffer;
  /** The last bytes, which may be the beginning of a delimiter. The first delimiter needs no line break before it. */
  #pending: Uint8Array = Buffer.from("\r\n");
  #fields = 0;
  /** Values in arguments of all fields, since one field may refer to any other. */
  #values = 0;
  /** The head of the current field as far as it has come; undefined after it, and before the first field. */
  #head: string | undefined;
  #scanner: JsonScanner | undefined;

  /** Throws UNSUPPORTED_MEDIA_TYPE for any other type than that of a form, with nothing but a boundary. */
  constructor(contentType: string) {
    const [, quoted, bare] = TYPE.exec(contentType) ?? [];
    const boundary = quoted ?? bare;
    if (boundary === undefined) {
      throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The form must be sent as multipart/form-data with a boundary.");
    }
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Throws VALIDATION at the first field, level of brackets or value too many. */
  push(piece: Uint8Array): void {
    let bytes = Buffer.concat([this.#pending, piece]);
    for (let at = bytes.indexOf(this.#delimiter); at >= 0; at = bytes.indexOf(this.#delimiter)) {
      this.#read(bytes.subarray(0, at));
      this.#beginField();
      bytes = bytes.subarray(at + this.#delimiter.length);
    }
    const certain = Math.max(0, bytes.length - this.#delimiter.length + 1);
    this.#read(bytes.subarray(0, certain));
    this.#pending = Uint8Array.from(bytes.subarray(certain));
  }

  #beginField(): void {
    this.#fields += 1;
    // The last delimiter begins no field.
    if (this.#fields > FIELDS_MAX + 1) throw tooMuch(`must have at most ${FIELDS_MAX} fields`);
    this.#head = "";
    this.#scanner = undefined;
  }

  /** Reads some bytes of the current field. */
  #read(bytes: Buffer): void {
    if (this.#head === undefined) {
      this.#scan(bytes);
      return;
    }
    const before = this.#head.length;
    this.#head += bytes.toString("latin1", 0, FIELD_HEAD_BYTES_MAX);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0 && this.#head.length >= FIELD_HEAD_BYTES_MAX) throw tooMuch("has a field with too long a head");
    if (end < 0) return;
    const isTyped = TYPED_FIELD.test(this.#head.slice(0, end).trim());
    this.#head = undefined;
    if (!isTyped) this.#scanner = new JsonScanner({ valueBegins: () => this.#countValue() });
    this.#scan(bytes.subarray(end + HEAD_END.length - before));
  }

  #scan(bytes: Buffer): void {
    const problem = this.#scanner?.push(bytes);
    if (problem === undefined) return;
    if ("excess" in problem) throw invalid([problem.excess]);
    // Not JSON, so React parses no values from it.
    this.#scanner = undefined;
  }

  #countValue(): ErrorDetail | undefined {
    this.#values += 1;
    return this.#values > VALUES_MAX ? tooManyValues("") : undefined;
  }
}

const HEAD_END = "\r\n\r\n";

function tooMuch(message: string): AppError {
  return invalid([{ path: "", message }]);
}
