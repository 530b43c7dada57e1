import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { RefusedBytes } from "../delivery/connection.ts";
import type { ConfirmedLatency, Reading } from "../runtime/confirmed-latency.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import { CertificateWatch } from "./certificate-watch.ts";
import type { Reader, ReadTurns } from "./read-turns.ts";
import { SLICE } from "./sliced-socket.ts";

/** The most that is read of a handshake. Ten large certificates have less than 20 KiB. Fixed by docs/limits.md. */
const HANDSHAKE_MAX = 64 * 1024;
/**
 * What is read of a connection beyond what it says, as the bytes that records, session tickets and changes of keys take: so many
 * in all, a little more for each request, and an eighth of the answers. Fixed by docs/limits.md.
 */
const HIDDEN_MAX = 32 * 1024;
const HIDDEN_PER_REQUEST = 1024;
const HIDDEN_SHARE = 1 / 8;
/**
 * What is beyond this is charged to the account: 11 µs for the 27 bytes of a change of keys, and more for a ticket. Guards against
 * targets that have this process compute.
 */
const HIDDEN_FREE = 4 * 1024;
const HIDDEN_BYTE_MS = 0.0005;
/** Certificates that take longer than this are charged to the account, ms. Guards against the same. */
const CERTIFICATES_FREE_MS = 4;
/** In how many pieces the bytes of a connection may arrive. Guards against the same: each is read by itself, which takes 20 µs. */
const PIECES_MAX = 512;
const PIECES_PER_REQUEST = 16;
const BYTES_PER_PIECE = 64;
/** Bounds memory: while more than this waits to be passed on, nothing is read from the socket. */
const WAITING_MAX = 64 * 1024;
/** Fixed by RFC 8446, 5.1. */
const RECORD_HEADER = 5;
/**
 * Guards against those who ask for another handshake. With TLS 1.2 its records can be told from others, and one that asks for it has at
 * most so many bytes. The client declines each request with a record of its own: 4,000 of them in one record took a second.
 */
const HANDSHAKE_RECORD = 22;
const ASKING_RECORD_MAX = 96;
const ASKING_RECORDS_MAX = 4;

/**
 * The bytes between a socket and its TLS client. What a target sends decides how much a TLS client computes, and the client does
 * it all at once. So this passes bytes on in slices, in turns with other connections, and only as many as an honest target needs.
 * The socket is one of `connectSliced`.
 */
export class GuardedStream extends Duplex implements Reader {
  readonly accountId: string;
  readonly #raw: Socket;
  readonly #turns: ReadTurns;
  readonly #confirmedLatency: ConfirmedLatency;
  #client: TLSSocket | undefined;
  /** Until the certificates of the handshake were passed on. */
  #watch: CertificateWatch | undefined = new CertificateWatch();
  #isSecure = false;
  /** Slices that have arrived and were not taken. */
  #waiting: Buffer[] = [];
  /** What follows them: the end of the connection, or its error. */
  #end: (() => void) | undefined;
  #pieces = 0;
  #arrived = 0;
  #taken = 0;
  /** How many bytes the complete records that were passed on have, and how many they had when the handshake was over. */
  #records = 0;
  #handshake = 0;
  /** The header of the record that is being passed on, how much of it was, and how much of the record is left. */
  readonly #header = Buffer.alloc(RECORD_HEADER);
  #headerBytes = 0;
  #left = 0;
  /** How many records have asked for another handshake. */
  #asking = 0;
  #requests = 0;
  #written = 0;
  /** How many hidden bytes were charged, or are free. */
  #charged = HIDDEN_FREE;

  /** When the bytes that wait, or were read last, had arrived. */
  reading: Reading | undefined;

  constructor(raw: Socket, accountId: string, deps: { turns: ReadTurns; confirmedLatency: ConfirmedLatency }) {
    super({ allowHalfOpen: false, readableHighWaterMark: CONNECTIONS.sliceBytes });
    this.#raw = raw;
    this.accountId = accountId;
    this.#turns = deps.turns;
    this.#confirmedLatency = deps.confirmedLatency;
    raw.on(SLICE, (chunk: Buffer) => this.#take(chunk));
    raw.on("end", () => this.#endWith(() => this.push(null)));
    raw.on("error", (error) => this.#endWith(() => this.destroy(error)));
    raw.on("close", () => this.#endWith(() => this.destroy()));
  }

  /** Tells the stream which client reads it. */
  serve(client: TLSSocket): void {
    this.#client = client;
    const onSecret = (line: Buffer) => {
      const text = line.toString("latin1").trim();
      if (!this.#watch || !text.startsWith("SERVER_HANDSHAKE_TRAFFIC_SECRET ")) return;
      this.#watch.secret = Buffer.from(text.slice(text.lastIndexOf(" ") + 1), "hex");
    };
    client.on("keylog", onSecret);
    client.once("secureConnect", () => {
      client.off("keylog", onSecret);
      this.#watch = undefined;
      this.#isSecure = true;
      this.#handshake = this.#records;
    });
  }

  /** Whether bytes have arrived that were not passed on. */
  get hasUnread(): boolean {
    return this.#waiting.length > 0;
  }

  readSlice(): boolean {
    const slice = this.#waiting.shift();
    if (this.destroyed || !slice) return false;
    const wantsMore = this.#pass(slice);
    const why = this.destroyed ? undefined : this.#judge();
    if (why) this.destroy(new RefusedBytes(why));
    if (this.destroyed) return false;
    if (this.#waiting.length > 0) return wantsMore;
    if (this.#raw.isPaused()) this.#raw.resume();
    this.#end?.();
    return false;
  }

  override _read(): void {
    if (this.#waiting.length > 0) this.#turns.ask(this);
  }

  /** What the client writes goes straight to the socket, and not through a queue of this stream. */
  override write(chunk: Buffer, encoding?: unknown, done?: unknown): boolean {
    return this.#raw.write(chunk, encoding as BufferEncoding, done as () => void);
  }

  override cork(): void {
    this.#raw.cork();
  }

  override uncork(): void {
    this.#raw.uncork();
  }

  override _final(done: () => void): void {
    if (this.#raw.destroyed) done();
    else this.#raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#waiting = [];
    this.#raw.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    this.#arrived += chunk.length;
    const piecesMax = PIECES_MAX + this.#requests * PIECES_PER_REQUEST + this.#arrived / BYTES_PER_PIECE;
    if (++this.#pieces > piecesMax) this.destroy(new RefusedBytes("the answer comes in too many pieces"));
    if (this.destroyed) return;
    if (this.#waiting.length === 0) this.reading = this.#confirmedLatency.read();
    this.#waiting.push(chunk);
    this.#turns.ask(this);
    if (this.#arrived - this.#taken > WAITING_MAX) this.#raw.pause();
  }

  /** The connection has ended. What has arrived before is read first. */
  #endWith(end: () => void): void {
    this.#end ??= end;
    if (this.#waiting.length === 0) this.#end();
  }

  /** Returns whether the client takes more at once. */
  #pass(slice: Buffer): boolean {
    this.#taken += slice.length;
    if (!this.#watch) return this.#give(slice);
    let wantsMore = true;
    this.#watch.take(slice, (bytes) => {
      wantsMore = this.#give(bytes);
    });
    return wantsMore;
  }

  #give(bytes: Buffer): boolean {
    if (this.destroyed || bytes.length === 0) return true;
    this.#countRecords(bytes);
    if (this.#asking > ASKING_RECORDS_MAX) this.destroy(new RefusedBytes("the target asks for another handshake"));
    return this.destroyed || this.push(bytes);
  }

  #countRecords(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#headerBytes < RECORD_HEADER) {
        this.#header[this.#headerBytes++] = bytes[at++] as number;
        if (this.#headerBytes === RECORD_HEADER) this.#begin(this.#header.readUInt16BE(RECORD_HEADER - 2));
      }
      const part = Math.min(this.#left, bytes.length - at);
      this.#left -= part;
      at += part;
      if (this.#headerBytes < RECORD_HEADER || this.#left > 0) continue;
      this.#records += RECORD_HEADER + this.#header.readUInt16BE(RECORD_HEADER - 2);
      this.#headerBytes = 0;
    }
  }

  /** A record of `length` bytes begins. */
  #begin(length: number): void {
    this.#left = length;
    if (!this.#isSecure || this.#header[0] !== HANDSHAKE_RECORD) return;
    this.#asking += length > ASKING_RECORD_MAX ? ASKING_RECORDS_MAX + 1 : 1;
  }

  /** What is wrong with the bytes that were passed on. Charges the account for what they take beyond the ordinary. */
  #judge(): string | undefined {
    if (this.#isSecure) return this.#judgeHidden();
    const { problem, isOver, certificatesMs = 0 } = this.#watch ?? {};
    if (problem === "costly") return "the target's certificates take too long to verify";
    if (problem) return "the target's handshake cannot be read";
    if (this.#taken > HANDSHAKE_MAX) return "the target's handshake has more bytes than are read";
    if (!isOver) return undefined;
    this.#watch = undefined;
    if (certificatesMs > CERTIFICATES_FREE_MS)
      this.#turns.charge(this.accountId, certificatesMs - CERTIFICATES_FREE_MS);
    return undefined;
  }

  #judgeHidden(): string | undefined {
    const { bytesRead = 0, bytesWritten = this.#written } = this.#client ?? {};
    // A request was written since the last slice. The target cannot make the client write more of them.
    if (bytesWritten > this.#written) this.#requests++;
    this.#written = bytesWritten;
    const shown = bytesRead * (1 + HIDDEN_SHARE) + this.#requests * HIDDEN_PER_REQUEST;
    const hidden = this.#records - this.#handshake - shown;
    if (hidden > HIDDEN_MAX) return "the answer has more bytes than are read";
    if (hidden <= this.#charged) return undefined;
    this.#turns.charge(this.accountId, (hidden - this.#charged) * HIDDEN_BYTE_MS);
    this.#charged = hidden;
    return undefined;
  }
}
