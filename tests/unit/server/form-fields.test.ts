import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "#domain/errors.ts";
import { FormFields } from "#server/edge/form-fields.ts";

const field = (name: string, content: string, boundary = "x") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const form = (...fields: string[]) => `${fields.join("")}--x--\r\n`;

/** What a form is refused for, or "admitted". */
function read(text: string, bytesMax = 65_536, type = "multipart/form-data; boundary=x"): string {
  const fields = new FormFields(type);
  const bytes = Buffer.from(text);
  try {
    for (let from = 0; from < bytes.length; from += bytesMax) fields.push(bytes.subarray(from, from + bytesMax));
    return "admitted";
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const deep = "[".repeat(65);
const many = `[${"1,".repeat(2_000)}1]`;

describe("the fields of a form", () => {
  it("are at most 500", () => {
    const fields = (count: number) => form(...Array.from({ length: count }, (_, n) => field(`f${n}`, "")));
    for (const bytesMax of [1, 7, 65_536]) {
      expect(read(fields(500), bytesMax)).toBe("admitted");
      expect(read(fields(501), bytesMax)).toBe("must have at most 500 fields");
    }
  });

  it.each(["0", "1", "$ACTION_1:0", "$ACTION_REF_1", "0; payload", 'a"; name="0'])(
    "with arguments of an action hold 64 levels of brackets and 2,000 values: %s",
    (name) => {
      for (const bytesMax of [1, 5, 65_536]) {
        expect(read(form(field("payload", "a"), field(name, "[".repeat(64))), bytesMax)).toBe("admitted");
        expect(read(form(field(name, deep)), bytesMax)).toMatch(/at most 64 levels/);
        expect(read(form(field(name, many)), bytesMax)).toMatch(/at most 2000 names/);
      }
    },
  );

  it("with arguments hold 2,000 values together", () => {
    const half = `[${"1,".repeat(998)}1]`;
    expect(read(form(field("0", half), field("1", half)))).toBe("admitted");
    expect(read(form(field("0", half), field("1", half), field("2", "[1]")))).toMatch(/at most 2000 names/);
  });

  it.each(["payload", "1_payload", "12_words"])("that people fill in hold any text: %s", (name) => {
    expect(read(form(field(name, deep), field(name, many)))).toBe("admitted");
  });

  it("are found whatever the headers of a field say", () => {
    const head = 'Content-Disposition: form-data; name="payload"';
    for (const heads of [`${head}\r\n${head.replace("payload", "0")}`, `${head}; name="0"`, `X: y\r\n${head}`, ""]) {
      expect(read(`--x\r\n${heads}\r\n\r\n${deep}\r\n--x--`)).toMatch(/at most 64 levels/);
    }
    expect(read(`--x\r\nX: ${"y".repeat(5_000)}`)).toMatch(/too long a head/);
  });

  it("are counted alike however the form is cut into pieces", () => {
    const one = fc.tuple(
      fc.constantFrom("0", "payload", "$ACTION_1:0"),
      fc.constantFrom("", "--x", "\r\n--", "\r\n--y", deep, "[1]", "\r\n\r\n", "-"),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), fc.integer({ min: 1, max: 90 }), (fields, bytesMax) => {
        const text = form(...fields.map(([name, content]) => field(name, content)));
        const hasExcess = fields.some(([name, content]) => name !== "payload" && content === deep);
        expect(read(text, bytesMax)).toBe(hasExcess ? "must be nested at most 64 levels deep" : "admitted");
      }),
    );
  });

  it("may be separated by any boundary that browsers make", () => {
    for (const boundary of [
      "----WebKitFormBoundary7MA4YWxkTrZu0gW",
      "---------------------------9051914041544843365",
    ]) {
      const text = Array.from({ length: 501 }, (_, n) => field(`f${n}`, "", boundary)).join("");
      for (const written of [boundary, `"${boundary}"`]) {
        expect(read(`${text}--${boundary}--`, 1_000, `multipart/form-data; boundary=${written}`)).toMatch(/500 fields/);
      }
    }
  });
});
