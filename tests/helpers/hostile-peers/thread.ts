import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { type ChainExtras, certificateChain, cheapPair, keyPemOf, type Pair, pemOf } from "../certificate-chain.ts";
import { createOldRecordServer, createRecordServer, type OldRecordWriter, type RecordWriter } from "./records.ts";

/** Each kind of hostile peer as a server on loopback. They run on this thread, so that what they compute counts for nobody else. */
const { identity, kinds } = workerData as { identity: { cert: string; key: string }; kinds: string[] };

const times = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));

const FAILED = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n";
const LENGTH = 8 * 1024;

/** Writes `count` pieces once a request has arrived, one after another, so that none is computed for a connection that is gone. */
function flood<W>(count: number, piece: (writer: W) => Buffer): (raw: Socket, writer: W) => void {
  return (raw, writer) => {
    let written = 0;
    const more = () => {
      if (raw.destroyed || written++ === count) return;
      raw.write(piece(writer));
      setImmediate(more);
    };
    more();
  };
}

const withRecords = (count: number, piece: (writer: RecordWriter) => Buffer) =>
  createRecordServer(identity, flood(count, piece));
const withOldRecords = (count: number, piece: (writer: OldRecordWriter) => Buffer) =>
  createOldRecordServer(identity, flood(count, piece));

/** Answers the first request on a connection. */
function withAnswer(answer: (socket: Socket) => void, options: TlsOptions | null = identity): Server {
  const onConnection = (socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  };
  return options ? createTlsServer(options, onConnection) : createServer(onConnection);
}

const pouring = (head: string, endless: string | Buffer) =>
  withAnswer((socket) => {
    const chunk = Buffer.concat(Array.from({ length: 64 }, () => Buffer.from(endless)));
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", more).write(head);
    more();
  });

const once = (answer: string | Buffer) => withAnswer((socket) => void socket.write(answer));

/** A server whose chain has authorities with this key. */
function withChain(pair: Pair, count: number, version: "TLSv1.2" | "TLSv1.3", extras: ChainExtras = {}): Server {
  const leaf = cheapPair();
  const cert = pemOf(certificateChain(leaf, pair, count, extras));
  return createTlsServer({ cert, key: keyPemOf(leaf), minVersion: version, maxVersion: version }, (socket) =>
    socket.on("error", () => {}),
  );
}

const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const ticket = (n: number) => {
  const body = Buffer.alloc(25);
  body.writeUInt32BE(7_200, 0);
  body[8] = 8;
  body.writeBigUInt64BE(BigInt(n), 9);
  body.writeUInt16BE(4, 17);
  return Buffer.concat([Buffer.of(4, 0, 0, body.length), body]);
};
const names = (letter: string, count: number) => times(count, (n) => letter + n.toString(36));
const PEERS: Record<string, () => Server> = {
  "changes of keys": () => withRecords(32, (writer) => Buffer.concat(times(500, () => writer.keyUpdate()))),
  "changes of keys that ask for one": () =>
    withRecords(32, (writer) => Buffer.concat(times(500, () => writer.keyUpdate(true)))),
  "session tickets": () => {
    let made = 0;
    return withRecords(40, (writer) => writer.record(22, Buffer.concat(times(500, () => ticket(made++)))));
  },
  "requests for another handshake": () =>
    withOldRecords(25, (writer) => Buffer.concat(times(4, () => writer.record(22, Buffer.alloc(16_000))))),
  "a request for another handshake in each record": () =>
    withOldRecords(40, (writer) => Buffer.concat(times(500, () => writer.record(22, Buffer.alloc(4))))),
  "records of one byte": () => {
    const answer = Buffer.from(FAILED + "1;a\r\nx\r\n".repeat(3_000));
    return withRecords(1, (writer) =>
      Buffer.concat(times(answer.length, (n) => writer.record(23, answer.subarray(n, n + 1)))),
    );
  },
  "padded records": () =>
    withRecords(100, (writer) => Buffer.concat(times(4, () => writer.record(23, Buffer.of(13), 16_000)))),
  "a chain over a binary curve (TLS 1.2)": () => withChain(curve("sect571r1"), 60, "TLSv1.2"),
  "a chain over a binary curve (TLS 1.3)": () => withChain(curve("sect571r1"), 60, "TLSv1.3"),
  "a chain over P-521": () => withChain(curve("P-521"), 90, "TLSv1.3"),
  "a chain with name constraints": () =>
    withChain(cheapPair(), 5, "TLSv1.3", {
      leaf: { names: ["localhost", ...names("a", 1_600)] },
      each: { excluded: names("b", 600) },
    }),
  "extensions of chunks": () => pouring(FAILED, `1;${"a".repeat(1_000)}\r\nx\r\n`),
  "chunks of one byte": () => pouring(FAILED, "1\r\nx\r\n"),
  "zeros before the size of a chunk": () => pouring(FAILED, "0".repeat(16_384)),
  "blank lines": () => pouring("", "\r\n".repeat(8_192)),
  "interim answers": () => pouring("", "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"),
  "tiny header lines": () => pouring("HTTP/1.1 429 No\r\n", "a:\r\n"),
  "one long header line": () => pouring("HTTP/1.1 429 No\r\nRetry-After: ", "1".repeat(16_384)),
  trailers: () => pouring(`${FAILED}0\r\n`, "a:\r\n"),
  "a compressed body": () =>
    once(
      Buffer.concat([
        Buffer.from("HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: 60000\r\n\r\n"),
        gzipSync(Buffer.alloc(50 * 1024 * 1024)).subarray(0, 60_000),
      ]),
    ),
  "a drip": () =>
    withAnswer((socket) => {
      const timer = setInterval(() => socket.write("0"), 1);
      socket.on("close", () => clearInterval(timer)).write(FAILED);
    }),
};

const held: Socket[] = [];
/** Holds all requests until it is told to answer, then answers all at once with a text that takes long to compare. */
const holding = () =>
  createServer((socket) => {
    socket.on("error", () => {});
    let unread = 0;
    let expected = Number.POSITIVE_INFINITY;
    socket.on("data", (chunk) => {
      const head = /^.*?content-length: *(\d+).*?\r\n\r\n/is.exec(chunk.toString("latin1"));
      if (head) expected = head[0].length + Number(head[1]);
      unread += chunk.length;
      if (unread >= expected) held.push(socket);
    });
  });

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

const ports: Record<string, number> = {};
for (const kind of kinds) {
  const server = PEERS[kind]?.();
  if (!server) throw new Error(`there is no peer of the kind "${kind}"`);
  ports[kind] = await portOf(server.on("tlsClientError", () => {}));
}
ports.holding = await portOf(holding());
parentPort?.on("message", (message: "held" | "answer") => {
  const answer = Buffer.from("%C3%A9x".repeat(LENGTH).slice(0, LENGTH));
  if (message === "answer") {
    for (const socket of held) socket.write(`HTTP/1.1 500 No\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`);
  }
  parentPort?.postMessage(held.length);
});
parentPort?.postMessage(ports);
