import { connect, type Socket } from "node:net";

/** `text` is the body of the first answer, `raw` everything that was received. */
export type RawAnswer = { status: number; headers: Headers; text: string; raw: string; sentBytes: number };

/** A connection on which nothing came for so long was not closed, ms. A page that is rendered first on a busy machine takes 15 s. */
const STILL_OPEN_MS = 60_000;

/**
 * Writes bytes unchanged to a new connection, then `chunk` repeatedly if there is one, and reads one answer until the
 * server closes the connection. The request should ask for that. With `chunk` the server must linger, as the HTTP guard
 * does: a write to a connection that was reset ends it before its answer is read.
 */
export function sendRaw(port: number, bytes: string | Buffer, chunk?: Buffer): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  let got = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    got += text;
  });
  let broken = "";
  // A server that has answered may reset the connection while the client still sends.
  socket.on("error", ({ message }) => {
    broken = ` (${message})`;
  });
  socket.write(bytes as string, "latin1");
  if (chunk) pump(socket, chunk);
  return new Promise((resolve, reject) => {
    socket.setTimeout(STILL_OPEN_MS, () => reject(new Error(`the connection stays open after ${JSON.stringify(got)}`)));
    socket.on("close", () => {
      const answer = parse(got);
      if (answer) resolve({ ...answer, raw: got, sentBytes: socket.bytesWritten });
      else reject(new Error(`not an answer: ${JSON.stringify(got.slice(0, 200))}${broken}`));
    });
  });
}

function pump(socket: Socket, chunk: Buffer): void {
  if (!socket.writable) return;
  if (socket.write(chunk)) setImmediate(() => pump(socket, chunk));
  else socket.once("drain", () => pump(socket, chunk));
}

function parse(got: string) {
  const [head = "", body = ""] = got.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "").split(/\r\n\r\n(.*)/s);
  const [first = "", ...lines] = head.split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) return undefined;
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const isChunked = headers.get("transfer-encoding") === "chunked";
  // Chunked encoding: sizes and data alternate. The API's answers contain no line breaks.
  const text = isChunked
    ? body
        .split("\r\n")
        .filter((_, at) => at % 2 === 1)
        .join("")
    : body;
  return { status, headers, text };
}
