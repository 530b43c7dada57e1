import { describe, expect, it } from "vitest";
import { AnswerHead } from "#dispatcher/sending/answer-head.ts";

const FINAL = "HTTP/1.1 503 Not Now\r\nRetry-After: 7\r\n\r\nbody";
const INTERIM = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 100\r\n\r\n",
  "HTTP/1.0 100 Continue\r\nDate: today\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nLink: </b.css>\r\n\r\n",
  "HTTP/1.1 102 Processing\n\n",
  "\r\nHTTP/1.1 199 \r\n\r\n",
];

/** What the client gets of `text` when it arrives in pieces of `size` bytes, and what was seen in it. */
function follow(text: string, size: number) {
  const head = new AnswerHead();
  const bytes = Buffer.from(text, "latin1");
  let passed = "";
  for (let at = 0; at < bytes.length; at += size) passed += head.take(bytes.subarray(at, at + size)).toString("latin1");
  return { passed, statusCode: head.statusCode, problem: head.problem };
}

const sizes = [1, 2, 3, 5, 7, 11, 12, 13, 14, 40, 1_000];

describe("the client gets an answer", () => {
  it.each(sizes)("without the interim answers before it, in pieces of %i bytes", (size) => {
    for (const interim of [...INTERIM, INTERIM.join(""), INTERIM[0]?.repeat(20) ?? ""]) {
      expect(follow(interim + FINAL, size), interim).toEqual({ passed: FINAL, statusCode: 503, problem: undefined });
    }
  });

  it.each(sizes)("byte by byte as it came, whatever it is, in pieces of %i bytes", (size) => {
    const answers = { [FINAL]: 503, "HTTP/1.0 204\n\n": 204, "HTTP/1.1 999 X\r\n\r\n": 999, "HTTP/1.1 200\r": 200 };
    const others = [
      "<html>",
      "220 mail.example.com ESMTP\r\n",
      "HTTP/1.1 1000 X\r\n\r\n",
      "HTTP/1.1 099 X\r\n",
      "HTTP/3",
    ];
    const bodies = `${FINAL}HTTP/1.1 100 Continue\r\n\r\n`;
    for (const [answer, statusCode] of Object.entries({ ...answers, [bodies]: 503 })) {
      expect(follow(answer, size)).toEqual({ passed: answer, statusCode, problem: undefined });
    }
    for (const answer of others) expect(follow(answer, size)).toMatchObject({ passed: answer, statusCode: 0 });
  });
});

describe("Retry-After", () => {
  const found = (text: string, size: number) => {
    const head = new AnswerHead();
    const bytes = Buffer.from(text, "latin1");
    for (let at = 0; at < bytes.length; at += size) head.take(bytes.subarray(at, at + size));
    return head.retryAfter;
  };
  const long = `X: ${"a".repeat(17_000)}\r\n`;

  it.each(sizes)("is found in complete lines of the headers of a 429 and 503, in pieces of %i bytes", (size) => {
    expect(found("HTTP/1.1 503 Busy\r\nX: a\r\nRetry-After: 7\r\nretry-after:\t9 \r\n\r\n", size)).toEqual([
      " 7",
      "\t9 ",
    ]);
    expect(found("HTTP/1.1 429 Busy\nRETRY-AFTER: 7\n\nRetry-After: 8\n", size)).toEqual([" 7"]);
    expect(found("HTTP/1.1 503 Busy\r\nRetry-After: 7", size)).toEqual([]);
    expect(found("HTTP/1.1 500 No\r\nRetry-After: 7\r\n\r\n", size)).toEqual([]);
    expect(found(`HTTP/1.1 503 Busy\r\n${long}Retry-After: 7\r\nX`, size)).toEqual([" 7"]);
  });

  it.each(sizes)(
    "is looked for where headers are too long for the client, up to 64 KiB, in pieces of %i bytes",
    (size) => {
      const { passed, statusCode, problem } = follow(`HTTP/1.1 503 Busy\r\n${long}\r\n`, size);
      expect(passed.length).toBeLessThanOrEqual(16_384);
      expect({ statusCode, problem }).toEqual({ statusCode: 503, problem: "too long" });
      expect(follow(`HTTP/1.1 503 Busy\r\n${long}`, size).problem).toBeUndefined();
      expect(follow(`HTTP/1.1 503 Busy\r\n${long.repeat(4)}`, size).problem).toBe("too long");
    },
  );
});

describe("no status is known", () => {
  it("before its three digits and the character after them have arrived", () => {
    expect(follow("HTTP/1.1 200", 5)).toEqual({ passed: "", statusCode: 0, problem: undefined });
    expect(follow("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 20", 5).statusCode).toBe(0);
  });

  it("when the target switches protocols", () => {
    expect(follow("HTTP/1.1 101 Switching Protocols\r\n", 4)).toMatchObject({
      statusCode: 0,
      problem: "switched protocols",
    });
  });

  it("when interim answers are longer than 64 KiB in all", () => {
    expect(follow(`HTTP/1.1 103 X\r\nLink: ${"a".repeat(70_000)}`, 1_000).problem).toBe("too long");
    expect(follow("HTTP/1.1 103 X\r\n\r\n".repeat(4_000), 1_000).problem).toBe("too long");
    expect(follow("HTTP/1.1 103 X\r\n\r\n".repeat(3_000) + FINAL, 1_000).statusCode).toBe(503);
  });
});
