import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CertificateWatch } from "#dispatcher/connections/certificate-watch.ts";
import { certificateChain, cheapPair } from "#tests/helpers/certificate-chain.ts";

// Handshakes of TLS 1.2, which are readable. Those of TLS 1.3 are in hostile-handshakes.test.ts, with real servers.

const record = (type: number, ...contents: Buffer[]) => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(type, 3, 3, content.length >> 8, content.length & 255), content]);
};
const length24 = (bytes: Buffer) => Buffer.of(bytes.length >> 16, (bytes.length >> 8) & 255, bytes.length & 255);
const message = (type: number, body: Buffer) => Buffer.concat([Buffer.of(type), length24(body), body]);
const certificates = (chain: Buffer[]) => {
  const list = Buffer.concat(chain.flatMap((it) => [length24(it), it]));
  return message(11, Buffer.concat([length24(list), list]));
};

const HELLO = message(2, Buffer.concat([Buffer.of(3, 3), Buffer.alloc(32, 1), Buffer.of(0, 0xc0, 0x2b, 0, 0, 0)]));
const ASKS_AGAIN = message(0, Buffer.alloc(0));
const DONE = message(14, Buffer.alloc(0));
const leaf = cheapPair();
const ordinary = certificates(certificateChain(leaf, leaf, 2));
const costly = certificates(certificateChain(leaf, generateKeyPairSync("ec", { namedCurve: "P-521" }), 9));

/** What the client gets of bytes that arrive in pieces which end at `cuts`. */
function watch(bytes: Buffer, cuts: readonly number[] = []) {
  const watched = new CertificateWatch();
  const passed: Buffer[] = [];
  let from = 0;
  for (const to of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    if (to > from) watched.take(bytes.subarray(from, to), (part) => passed.push(part));
    from = Math.max(from, to);
  }
  return { passed: Buffer.concat(passed), problem: watched.problem, isOver: watched.isOver };
}

const cut = (bytes: Buffer) => fc.array(fc.nat(bytes.length), { maxLength: 40 });

it("a handshake is passed on as it came, wherever its bytes and messages are cut", () => {
  const messages = Buffer.concat([HELLO, ordinary, DONE]);
  fc.assert(
    fc.property(cut(messages), cut(messages), (ends, cuts) => {
      const places = [0, ...ends.toSorted((a, b) => a - b), messages.length];
      const records = places.slice(1).map((to, n) => record(22, messages.subarray(places[n], to)));
      const bytes = Buffer.concat(records);
      expect(watch(bytes, cuts)).toEqual({ passed: bytes, problem: undefined, isOver: true });
    }),
  );
});

it("of costly certificates not a byte is passed on, wherever its bytes and messages are cut", () => {
  const messages = Buffer.concat([ASKS_AGAIN, HELLO, costly, DONE]);
  const before = ASKS_AGAIN.length + HELLO.length;
  fc.assert(
    fc.property(cut(messages), cut(messages), (ends, cuts) => {
      const places = [0, ...ends.toSorted((a, b) => a - b), messages.length];
      const records = places.slice(1).map((to, n) => record(22, messages.subarray(places[n], to)));
      const { passed, problem } = watch(Buffer.concat(records), cuts);
      expect(problem).toBe("costly");
      expect(passed.length).toBeLessThanOrEqual(before + 5 * records.length);
    }),
  );
});

it("more than ten certificates are costly, whatever they are", () => {
  const chain = (count: number) => record(22, HELLO, certificates(certificateChain(leaf, leaf, count - 1)));
  expect(watch(chain(10)).problem).toBeUndefined();
  expect(watch(chain(11)).problem).toBe("costly");
});

it("a handshake that resumes a session has no certificates to watch", () => {
  const bytes = Buffer.concat([record(22, HELLO), record(20, Buffer.of(1)), record(22, Buffer.alloc(40, 7))]);
  expect(watch(bytes)).toEqual({ passed: bytes, problem: undefined, isOver: true });
});

it("certificates that are none are not passed on", () => {
  const broken = Buffer.concat([Buffer.of(0, 0, 9), Buffer.of(0, 0, 200), Buffer.alloc(6)]);
  expect(watch(record(22, HELLO, message(11, broken)))).toMatchObject({
    problem: "unreadable",
    passed: Buffer.alloc(0),
  });
});

it("what is no TLS is left to the client, and so is a message that is longer than it takes", () => {
  const answer = Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n");
  expect(watch(answer)).toEqual({ passed: answer, problem: undefined, isOver: true });
  const long = record(22, HELLO, Buffer.of(11, 2, 0, 0), Buffer.alloc(100));
  expect(watch(long)).toEqual({ passed: long, problem: undefined, isOver: true });
});
