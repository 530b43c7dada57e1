import { describe, expect, it } from "vitest";
import { encodeEvent } from "#domain/server-sent-events.ts";

describe("an event of a stream", () => {
  it("is its name, its id if any, and its data as one line of JSON, with an empty line after it", () => {
    expect(encodeEvent("over", { id: "exc_1" })).toBe('event: over\ndata: {"id":"exc_1"}\n\n');
    expect(encodeEvent("delivery", { a: [["X-A", "b"]] }, "exc_1")).toBe(
      'event: delivery\nid: exc_1\ndata: {"a":[["X-A","b"]]}\n\n',
    );
  });

  it("stays one line of data, whatever line breaks its values have", () => {
    const text = encodeEvent("x", { a: "1\n2\r\n3\r4\u20285\0" });
    expect(text.match(/\n|\r/g)).toHaveLength(3);
    expect(JSON.parse(text.split("\n")[1]?.slice("data: ".length) ?? "")).toEqual({ a: "1\n2\r\n3\r4\u20285\0" });
  });
});
