import { createSocket } from "node:dgram";
import { type AddressInfo, isIPv6 } from "node:net";

/** The answer to a question for addresses: these, a response code (2 SERVFAIL, 3 NXDOMAIN), or none at all. */
export type DnsAnswer = string[] | { code: number } | "silence";

/** A name server on loopback (UDP). It answers A questions by `answers`, and AAAA questions by `answers6` or with no record. */
export async function startDnsServer(answers: Record<string, DnsAnswer>, answers6: Record<string, DnsAnswer> = {}) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const answer4 = answers[name] ?? { code: 3 };
    const answer = type === 1 ? answer4 : (answers6[name] ?? (answer4 === "silence" ? answer4 : []));
    if (answer !== "silence") socket.send(reply(query, end, answer), port, address);
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
  const records = addresses.map((address) => {
    const bytes = isIPv6(address) ? [...Buffer.from(wholeIPv6(address), "hex")] : address.split(".").map(Number);
    return Buffer.from([0xc0, 12, 0, isIPv6(address) ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

function wholeIPv6(address: string): string {
  const [before = "", after = ""] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const groups = [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
  return groups.map((group) => group.padStart(4, "0")).join("");
}
