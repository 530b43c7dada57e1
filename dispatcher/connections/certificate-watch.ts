import { verificationMs } from "#domain/certificate-cost.ts";
import { RecordOpener } from "./record-opener.ts";

/** Types of records, and of handshake messages (RFC 8446, 5.1 and 4). */
const [CHANGE_CIPHER_SPEC, HANDSHAKE, APPLICATION_DATA] = [20, 22, 23];
const [SERVER_HELLO, CERTIFICATE, FINISHED, COMPRESSED_CERTIFICATE] = [2, 11, 20, 25];
/** Bytes of their headers, an extension, and the version in it. Fixed by RFC 8446, 5.1, 4 and 4.2.1. */
const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;
const SUPPORTED_VERSIONS = 43;
const TLS_1_3 = 0x0304;
/** The random of a ServerHello that asks for another ClientHello (RFC 8446, 4.1.3). */
const RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c";

/**
 * A longer message is refused by the client by its header, or never complete. Fixed by docs/limits.md: not so much is read of a
 * handshake.
 */
const MESSAGE_MAX = 64 * 1024;
/** As many certificates as Java takes. Most targets send two or three, and some the root too. Fixed by docs/limits.md. */
const CERTIFICATES_MAX = 10;
/** How long they may take, ms: seven of P-384 do, or three of P-521. Fixed by docs/limits.md. */
const VERIFICATION_MAX_MS = 10;

const NOTHING = Buffer.alloc(0);

/**
 * Reads a server's handshake before the TLS client does, up to its certificates. The client verifies all that a server sends,
 * with any signature and even after an error, in one go: 100 certificates with costly keys took half a second. So a certificate
 * is passed on when it is known to be cheap.
 */
export class CertificateWatch {
  /** What is wrong with the handshake. No more is passed on. */
  problem: "costly" | "unreadable" | undefined;
  /** Whether nothing more needs to be watched: the certificates were passed on, or there are none. */
  isOver = false;
  /** How long the certificates take to verify, ms. */
  certificatesMs = 0;
  /** The server's handshake traffic secret, once the client knows it. */
  secret: Buffer | undefined;
  #suite: number | undefined;
  #isOld = false;
  #opener: RecordOpener | undefined;
  #hasRecords = false;
  /** The start of a record. */
  #rest: Buffer = NOTHING;
  /** Records whose last message is not complete. */
  #held: Buffer[] = [];
  /** The start of a handshake message. */
  #message: Buffer = NOTHING;

  /** Takes bytes as they arrive, and calls `pass` with those that the client may have, before it looks at what follows. */
  take(chunk: Buffer, pass: (bytes: Buffer) => void): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.isOver && !this.problem && this.#rest.length >= RECORD_HEADER) {
      const end = RECORD_HEADER + this.#rest.readUInt16BE(RECORD_HEADER - 2);
      if (!isRecord(this.#rest)) this.#refuseOther();
      if (this.isOver || this.problem || this.#rest.length < end) break;
      const record = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      this.#hasRecords = true;
      this.#held.push(record);
      this.#read(record);
      if (this.#message.length === 0 && !this.problem) for (const one of this.#held.splice(0)) pass(one);
    }
    if (this.isOver) for (const one of [...this.#held.splice(0), this.#rest]) pass(one);
  }

  /** What is no record. As the first bytes of a target it is left to the client, whose error says more. */
  #refuseOther(): void {
    if (this.#hasRecords) this.problem = "unreadable";
    else this.isOver = true;
  }

  #read(record: Buffer): void {
    const type = record[0];
    if (type === CHANGE_CIPHER_SPEC && this.#isOld) this.isOver = true;
    else if (type === HANDSHAKE && this.#suite === undefined) this.#readMessages(record.subarray(RECORD_HEADER));
    else if (type === HANDSHAKE) this.problem = "unreadable";
    else if (type === APPLICATION_DATA && this.#suite !== undefined) this.#open(record, this.#suite);
  }

  #open(record: Buffer, suite: number): void {
    try {
      this.#opener ??= new RecordOpener(suite, this.secret ?? NOTHING);
      const { type, content } = this.#opener.open(record);
      if (type === HANDSHAKE) this.#readMessages(content);
    } catch {
      this.problem = "unreadable";
    }
  }

  #readMessages(content: Buffer): void {
    let bytes = this.#message.length === 0 ? content : Buffer.concat([this.#message, content]);
    while (!this.isOver && !this.problem && bytes.length >= MESSAGE_HEADER) {
      const end = MESSAGE_HEADER + bytes.readUIntBE(1, 3);
      if (end > MESSAGE_MAX) this.isOver = true;
      if (bytes.length < end) break;
      this.#readMessage(bytes[0] as number, bytes.subarray(MESSAGE_HEADER, end), bytes.length === end);
      bytes = bytes.subarray(end);
    }
    this.#message = bytes;
  }

  #readMessage(type: number, body: Buffer, isLast: boolean): void {
    try {
      if (type === SERVER_HELLO) this.#readHello(body, isLast);
      else if (type === CERTIFICATE) this.#judge(certificatesIn(body, this.#isOld));
      else if (type === FINISHED) this.isOver = true;
      else if (type === COMPRESSED_CERTIFICATE) this.problem = "unreadable";
    } catch {
      this.problem = "unreadable";
    }
  }

  #readHello(body: Buffer, isLast: boolean): void {
    const { random, suite, isNew } = helloIn(body);
    this.#isOld = !isNew;
    if (!isNew || random === RETRY) return;
    this.#suite = suite;
    // What follows is encrypted with keys that the client has once it has read this.
    if (!isLast) this.problem = "unreadable";
  }

  #judge(certificates: Buffer[]): void {
    this.certificatesMs = verificationMs(certificates);
    if (certificates.length > CERTIFICATES_MAX || this.certificatesMs > VERIFICATION_MAX_MS) this.problem = "costly";
    else this.isOver = true;
  }
}

const isRecord = (bytes: Buffer) =>
  bytes.readUInt8(0) >= CHANGE_CIPHER_SPEC && bytes.readUInt8(0) <= APPLICATION_DATA && bytes[1] === 3;

/** Of a ServerHello (RFC 8446, 4.1.3; RFC 5246, 7.4.1.3). */
function helloIn(body: Buffer): { random: string; suite: number; isNew: boolean } {
  const random = body.toString("hex", 2, 34);
  const suiteAt = 35 + body.readUInt8(34);
  const suite = body.readUInt16BE(suiteAt);
  let isNew = false;
  for (let at = suiteAt + 5; at < body.length; at += 4 + body.readUInt16BE(at + 2)) {
    if (body.readUInt16BE(at) === SUPPORTED_VERSIONS) isNew = body.readUInt16BE(at + 4) === TLS_1_3;
  }
  return { random, suite, isNew };
}

/** Of a Certificate message (RFC 8446, 4.4.2; without context and extensions in RFC 5246, 7.4.2). */
function certificatesIn(body: Buffer, isOld: boolean): Buffer[] {
  const certificates = [];
  let at = (isOld ? 0 : 1 + body.readUInt8(0)) + 3;
  while (at < body.length) {
    const end = at + 3 + body.readUIntBE(at, 3);
    if (end > body.length) throw new RangeError("the message is cut off");
    certificates.push(body.subarray(at + 3, end));
    at = isOld ? end : end + 2 + body.readUInt16BE(end);
  }
  return certificates;
}
