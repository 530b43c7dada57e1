import { createCipheriv, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { TLSSocket, type TlsOptions } from "node:tls";

/** Writes records of TLS 1.3 that no server would write (RFC 8446, 5.2 and 7.2), with AES-128-GCM. */
export class RecordWriter {
  #secret: Buffer;
  #key!: KeyObject;
  #iv!: Buffer;
  #sent: number;

  /** `secret` is the server's application traffic secret, and `sent` how many records it has written with it. */
  constructor(secret: Buffer, sent: number) {
    this.#secret = secret;
    this.#load();
    this.#sent = sent;
  }

  record(type: number, content: Buffer, padding = 0): Buffer {
    const inner = Buffer.concat([content, Buffer.of(type), Buffer.alloc(padding)]);
    const header = Buffer.of(23, 3, 3, (inner.length + 16) >> 8, (inner.length + 16) & 255);
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.#sent++) >>> 0, 8);
    const cipher = createCipheriv("aes-128-gcm", this.#key, nonce).setAAD(header);
    return Buffer.concat([header, cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
  }

  /** A record that tells the client that later ones have another key, and asks it to change its own. */
  keyUpdate(asks = false): Buffer {
    const record = this.record(22, Buffer.of(24, 0, 0, 1, Number(asks)));
    this.#secret = expand(this.#secret, "traffic upd", 32);
    this.#load();
    return record;
  }

  #load(): void {
    this.#key = createSecretKey(expand(this.#secret, "key", 16));
    this.#iv = expand(this.#secret, "iv", 12);
    this.#sent = 0;
  }
}

/** The same of TLS 1.2 (RFC 5246, 6.2.3.3; RFC 5288, 3). `randoms` is the server's and then the client's. */
export class OldRecordWriter {
  readonly #key: KeyObject;
  readonly #iv: Buffer;
  #sent: number;

  constructor(master: Buffer, randoms: Buffer, sent: number) {
    const seed = Buffer.concat([Buffer.from("key expansion"), randoms]);
    const hmac = (data: Buffer) => createHmac("sha256", createSecretKey(master)).update(data).digest();
    const first = hmac(seed);
    const second = hmac(first);
    const block = Buffer.concat([hmac(Buffer.concat([first, seed])), hmac(Buffer.concat([second, seed]))]);
    this.#key = createSecretKey(block.subarray(16, 32));
    this.#iv = block.subarray(36, 40);
    this.#sent = sent;
  }

  record(type: number, content: Buffer): Buffer {
    const sequence = Buffer.alloc(8);
    sequence.writeUInt32BE(this.#sent++, 4);
    const bound = Buffer.concat([sequence, Buffer.of(type, 3, 3, content.length >> 8, content.length & 255)]);
    const cipher = createCipheriv("aes-128-gcm", this.#key, Buffer.concat([this.#iv, sequence])).setAAD(bound);
    const sealed = Buffer.concat([sequence, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    return Buffer.concat([Buffer.of(type, 3, 3, sealed.length >> 8, sealed.length & 255), sealed]);
  }
}

/** `hello` is what the server wrote first, and `sent` how many records it has written with the last keys. */
type Wire = { raw: Socket; secrets: Map<string, { random: Buffer; secret: Buffer }>; hello: Buffer; sent: number };

/**
 * A TLS server that hands over when a request has arrived on a connection, to write what it likes. Node.js' own TLS makes the
 * handshake.
 */
function createServerOf(options: TlsOptions, onRequest: (wire: Wire) => void): Server {
  const isOld = options.maxVersion === "TLSv1.2";
  return createServer((raw) => {
    const wire: Wire = { raw, secrets: new Map(), hello: Buffer.alloc(0), sent: 0 };
    let isKeyed = false;
    const stream = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        if (wire.hello.length === 0) wire.hello = chunk;
        for (let at = 0; at < chunk.length; at += 5 + chunk.readUInt16BE(at + 3)) {
          if (isKeyed) wire.sent++;
          if (isOld && chunk[at] === CHANGE_CIPHER_SPEC) isKeyed = true;
        }
        raw.write(chunk, done);
      },
    });
    raw.on("data", (chunk) => stream.push(chunk)).on("error", () => {});
    const secure = new TLSSocket(stream, { isServer: true, ...options });
    secure.on("error", () => {});
    secure.on("keylog", (line: Buffer) => {
      const [label = "", random = "", secret = ""] = line.toString().trim().split(" ");
      wire.secrets.set(label, { random: Buffer.from(random, "hex"), secret: Buffer.from(secret, "hex") });
    });
    secure.on("secure", () => {
      isKeyed ||= !isOld;
    });
    secure.once("data", () => onRequest(wire));
  });
}

const CHANGE_CIPHER_SPEC = 20;

type Identity = { cert: string; key: string };

export function createRecordServer(identity: Identity, onRequest: (raw: Socket, writer: RecordWriter) => void): Server {
  const options = { ...identity, minVersion: "TLSv1.3", ciphers: "TLS_AES_128_GCM_SHA256" } as const;
  return createServerOf(options, ({ raw, secrets, sent }) => {
    onRequest(raw, new RecordWriter(secrets.get("SERVER_TRAFFIC_SECRET_0")?.secret as Buffer, sent));
  });
}

/** The same of TLS 1.2. */
export function createOldRecordServer(
  identity: Identity,
  onRequest: (raw: Socket, writer: OldRecordWriter) => void,
): Server {
  const options = { ...identity, maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" } as const;
  return createServerOf(options, ({ raw, secrets, hello, sent }) => {
    const { random, secret } = secrets.get("CLIENT_RANDOM") as { random: Buffer; secret: Buffer };
    onRequest(raw, new OldRecordWriter(secret, Buffer.concat([hello.subarray(11, 43), random]), sent));
  });
}

function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.concat([Buffer.of(0, length, name.length), Buffer.from(name), Buffer.of(0, 1)]);
  return createHmac("sha256", createSecretKey(secret)).update(info).digest().subarray(0, length);
}
