import type { Fence } from "./fences.ts";
import type { Installation, Reader } from "./installation.ts";

const IDS = /\b(sch|op|lsn)_(?:…|[0-9a-z]{26}\b)/g;
const PORTS =
  /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|["']):(\d{4,5})\b|\.listen\((\d{4,5})\b|\bPORT\b\W{1,6}(\d{4,5})\b|["'], (\d{4,5})\)/g;
const OWN_PORT = 3000;

/**
 * What a reader puts for what a page leaves open: the address of the installation for `http://localhost:3000`, a receiver
 * for example.com, keys for `sw_live_…` and `sw_test_…`, the id of the answer before for `sch_…`, and free ports for those of
 * programs of the page.
 */
export class Placeholders {
  readonly #reader: Reader;
  readonly #web: string;
  readonly #receiver: URL;
  readonly #ports: Map<string, number>;
  readonly #ids = new Map<string, string>();

  constructor({ web, receiver }: Installation, reader: Reader, fences: readonly Fence[]) {
    this.#reader = reader;
    this.#web = web.origin;
    this.#receiver = new URL(receiver.origin);
    const found = fences.flatMap(({ code }) => [...code.matchAll(PORTS)]).flatMap((groups) => groups.slice(1));
    const ports = new Set(found.filter((port) => port !== undefined && Number(port) !== OWN_PORT));
    this.#ports = new Map([...ports].map((port) => [port as string, reader.takePort()]));
  }

  async fill(code: string): Promise<string> {
    let filled = code
      .replaceAll(`http://localhost:${OWN_PORT}`, this.#web)
      .replaceAll(/sw_(live|test)_…/g, (_, env: "live" | "test") => this.#reader.keys[env]);
    // The service in memory sends nothing, and judges addresses as an installation of others does.
    if (!code.includes("fakeStopwatch")) {
      filled = filled
        .replaceAll(/https:\/\/example\.com\b/g, this.#receiver.origin)
        .replaceAll(/(?<![\w.@-])example\.com\b/g, this.#receiver.host);
    }
    for (const [port, own] of this.#ports) filled = filled.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(own));
    for (const [, kind = ""] of filled.matchAll(IDS)) await this.#makeFirst(kind);
    return filled.replaceAll(IDS, (id, kind: string) => this.#ids.get(kind) ?? id);
  }

  /** The ports that programs of the page may listen on. */
  get ports(): number[] {
    return [...this.#ports.values()];
  }

  /** Keeps the last id of each kind that an output has. With `onlyFirst`, where none of its kind is known. */
  keepIds(output: string, { onlyFirst = false } = {}): void {
    for (const [id, kind = ""] of output.matchAll(IDS)) if (!onlyFirst || !this.#ids.has(kind)) this.#ids.set(kind, id);
  }

  /** An id for a page that names one before any of its calls has made it. */
  async #makeFirst(kind: string): Promise<void> {
    if (this.#ids.has(kind)) return;
    const targetUrl = `${this.#receiver.origin}/hook`;
    const made =
      kind === "sch"
        ? await this.#reader.call("POST", "/v1/schedules", { targetUrl, fireIn: "1h" })
        : await this.#reader.call("POST", "/v1/operations", { action: "cancel", filter: { status: ["dead"] } });
    if (!made.id?.startsWith(`${kind}_`)) throw new Error(`no call before has made a ${kind}_…`);
    this.#ids.set(kind, made.id);
  }
}
