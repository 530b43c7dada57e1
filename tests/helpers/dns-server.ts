import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

/** The answer to a question for A records: addresses, a response code (2 SERVFAIL, 3 NXDOMAIN), or none at all. */
export type DnsAnswer = string[] | { code: number } | "silence";

/** A name server on loopback (UDP). It answers A questions by `answers`, and every AAAA question with no record. */
export async function startDnsServer(answers: Record<string, DnsAnswer>) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const answer = answers[name] ?? { code: 3 };
    if (answer !== "silence") socket.send(reply(query, end, type === 1 ? answer : []), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  while (query[at]) {
    const length = query[at] as number;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

// RFC 1035, 4.1: the answer repeats the question, and each record refers to its name by a pointer (offset 12).
function reply(query: Buffer, end: number, answer: string[] | { code: number }) {
  const addresses = Array.isArray(answer) ? answer : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (Array.isArray(answer) ? 0 : answer.code), 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}
