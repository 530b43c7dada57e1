import { connect } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { TLSSocket } from "node:tls";
import { createAuthority } from "#scripts/lab/certificates.ts";
import type { Peer } from "#scripts/lab/proxy.ts";

/** The same, once what is said before the start-up is said: TLS, or that there is none. */
type Speaker = (stream: Duplex) => void;

const SSL_REQUEST = 80_877_103;
const isSslRequest = (packet: Buffer) => packet.length === 8 && packet.readUInt32BE(4) === SSL_REQUEST;

/** A server without TLS. */
export const plain =
  (speak: Speaker): Peer =>
  (socket) =>
    speak(socket);

/** A server with TLS, which shows `certificate`. */
export const overTls =
  (certificate: { cert: string; key: string }, speak: Speaker): Peer =>
  (socket) => {
    socket.once("data", (packet: Buffer) => {
      if (!isSslRequest(packet)) return socket.destroy();
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.on("error", () => {});
      speak(secure);
    });
  };

/** Passes everything on to the database at `port`. */
export const passesOn =
  (port: number): Speaker =>
  (stream) => {
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    pipeline(stream, server, stream, () => {});
  };

/** Reads the start-up packet, and answers with `bytes`. */
const answers =
  (bytes: Buffer | string, { closes = true } = {}): Speaker =>
  (stream) => {
    stream.once("data", () => (closes ? stream.end(bytes) : stream.write(bytes)));
    stream.resume();
  };

/** Answers the start-up as a server or pooler does that refuses the session. */
export const refuses = (code: string, text: string, { closes = true, severity = "FATAL" } = {}): Speaker =>
  answers(
    message("E", [`S${severity}`, `V${severity}`, code && `C${code}`, `M${text}`].filter(Boolean), Buffer.of(0)),
    { closes },
  );

function message(type: string, fields: readonly string[], rest: Buffer): Buffer {
  const body = Buffer.concat([...fields.map((field) => Buffer.from(`${field}\0`)), rest]);
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const authentication = (kind: number, rest = "") => {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(kind);
  return message("R", [], Buffer.concat([number, Buffer.from(rest)]));
};

/** Sends what it has again and again, as long as somebody reads. */
const floods =
  (bytes: Buffer): Speaker =>
  (stream) => {
    const pour = () => {
      while (!stream.destroyed && stream.write(bytes));
    };
    stream.on("drain", pour).on("error", () => {});
    stream.resume();
    pour();
  };

/** Begins a session, and ends it at its first question. */
export const endsAtQuestion: Speaker = (stream) => {
  stream.once("data", () => {
    stream.write(Buffer.concat([authentication(0), message("Z", [], Buffer.from("I"))]));
    stream.once("data", () => stream.end());
  });
};

type Case = readonly [what: string, speak: Speaker, says: RegExp];

/** Peers that let no session begin, and what is said of each. */
export const SPEAKERS: readonly Case[] = [
  ["a pooler that knows no such tenant", refuses("XX000", "Tenant or user not found"), /Tenant or user not found/],
  ["a pooler that cannot log in at the server", refuses("08P01", "server_login_retry"), /server_login_retry/],
  [
    "a database that takes no connections",
    refuses("55000", 'database "d" is not currently accepting connections'),
    /not currently accepting connections/,
  ],
  ["a server with an error of its own", refuses("58ZZZ", "a file is damaged"), /files|a file is damaged/],
  ["a code that no list has", refuses("ZZ999", "not today"), /not today/],
  ["no code", refuses("", "not today"), /not today/],
  ["a panic", refuses("XX001", "out of order", { severity: "PANIC" }), /out of order/],
  ["an error that ends no session", refuses("XX000", "out of order", { closes: false }), /out of order/],
  ["an error where a session should begin", refuses("42883", "no such function", { severity: "ERROR" }), /no such/],
  [
    "a server that cannot make a process",
    answers("Ecould not fork new process for connection: Resource temporarily unavailable\n\0"),
    /could not fork new process/,
  ],
  ["a web server", answers("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"), /PostgreSQL/],
  ["a web server that does not close", answers("HTTP/1.1 400 Bad Request\r\n\r\n", { closes: false }), /PostgreSQL/],
  ["a server of another database", answers(Buffer.from("\x4a\0\0\0\x0a8.0.36\0", "latin1")), /PostgreSQL/],
  ["zeros", answers(Buffer.alloc(4_096), { closes: false }), /PostgreSQL/],
  ["rows that nobody asked for", answers(message("D", [], Buffer.alloc(6)), { closes: false }), /PostgreSQL/],
  ["bytes without end", floods(Buffer.alloc(65_536, "x")), /PostgreSQL/],
  [
    "an unfinished authentication",
    answers(Buffer.concat([authentication(10, "SCRAM-SHA-256\0\0"), authentication(11, "nonsense")]), {
      closes: false,
    }),
    /PostgreSQL|salt|data|argument/i,
  ],
  ["an authentication that is not known", answers(authentication(7), { closes: false }), /kind of login \(7\)/],
  ["a short message", answers(Buffer.from("R\0\0\0\x04"), { closes: false }), /PostgreSQL|range/i],
  ["an end before the first word", (stream) => stream.resume().end(), /closed/],
  ["an end after the first packet", (stream) => stream.resume().once("data", () => stream.destroy()), /closed/],
  ["an end after the login", answers(authentication(0)), /closed/],
];

/**
 * Peers with TLS, for a client that trusts `ca` and asks for `localhost`. `good` is the certificate that it takes.
 */
export async function createTlsPeers() {
  const authority = await createAuthority();
  const good = await authority.issue({});
  const shows = async (certificate: Parameters<typeof authority.issue>[0]) =>
    overTls(await authority.issue(certificate), (stream) => stream.resume());
  const peers: readonly (readonly [what: string, peer: Peer, code: RegExp])[] = [
    ["an expired certificate", await shows({ daysLeft: -1 }), /^CERT_HAS_EXPIRED$/],
    ["a certificate that is its own authority", await shows({ selfSigned: true }), /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
    ["a certificate for another name", await shows({ name: "other.example" }), /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    [
      "a certificate of another authority",
      overTls(await (await createAuthority()).issue({}), (stream) => stream.resume()),
      /SIGNATURE|ISSUER|AUTHORITY|SELF_SIGNED/,
    ],
    [
      "something else than TLS",
      (socket) => {
        socket.once("data", () => {
          socket.write("S");
          socket.once("data", () => socket.write("no handshake ".repeat(20)));
        });
      },
      /SSL|PROTO/,
    ],
    ["no TLS", (socket) => socket.once("data", () => socket.write("N")).resume(), /TLS/],
    ["an end in the handshake", (socket) => socket.once("data", () => socket.end("S")).resume(), /RESET|CLOSED/],
  ];
  return { ca: authority.ca, good, peers };
}
