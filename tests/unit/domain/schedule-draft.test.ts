import { describe, expect, it } from "vitest";
import { draftProblems, emptyDraft, headerPairs, readDraft, type ScheduleDraft } from "#domain/schedule-draft.ts";

function fields(...pairs: [string, string][]): FormData {
  const data = new FormData();
  for (const [name, value] of pairs) data.append(name, value);
  return data;
}

const problems = (change: Partial<ScheduleDraft>) => draftProblems({ ...emptyDraft("UTC"), ...change }, 10);

describe("the fields of a form", () => {
  it("are read as a draft, with the rows of headers in order", () => {
    const draft = readDraft(
      fields(
        ["method", "PUT"],
        ["url", "https://example.com/"],
        ["headerName", "A"],
        ["headerValue", "1"],
        ["headerName", ""],
        ["headerValue", ""],
        ["headerName", "B"],
        ["headerValue", "2"],
        ["payloadKind", "text"],
        ["payload", "one\r\ntwo\nthree"],
        ["earlyFire", "1"],
        ["retryDelays", "10s"],
      ),
    );
    expect(draft).toMatchObject({
      method: "PUT",
      payload: "one\ntwo\nthree",
      payloadKind: "text",
      earlyFire: true,
      retryDelays: "10s",
    });
    expect(headerPairs(draft.headers)).toEqual([
      ["A", "1"],
      ["B", "2"],
    ]);
  });

  it("that are missing, or files, are empty", () => {
    const data = fields(["method", "TRACE"]);
    data.append("payload", new Blob(["x"]));
    expect(readDraft(data)).toMatchObject({ method: "POST", payload: "", headers: [], words: "", earlyFire: false });
  });
});

describe("a draft", () => {
  it("reports the row of a header that cannot be sent", () => {
    const headers = [
      { name: "Content-Type", value: "application/json" },
      { name: "", value: "" },
      { name: "Host", value: "internal" },
      { name: "content-type", value: "text/plain" },
      { name: "", value: "lonely" },
    ];
    expect(problems({ headers })).toEqual([
      { field: "header-2", message: "Host is reserved." },
      { field: "header-3", message: "content-type is given twice." },
      { field: "header-4", message: "This header has no name." },
    ]);
  });

  it("reports a payload that is not JSON although it should be, or that has more bytes than the plan allows", () => {
    expect(problems({ payload: "{" })).toMatchObject([{ field: "payload" }]);
    expect(problems({ payload: "{", payloadKind: "text" })).toEqual([]);
    expect(problems({ payload: "ääääää", payloadKind: "text" })).toMatchObject([{ field: "payload" }]);
    expect(problems({ payload: "äääää", payloadKind: "text" })).toEqual([]);
    expect(problems({ payload: "" })).toEqual([]);
  });

  it("reports delivery options that cannot be read", () => {
    expect(problems({ timeout: "5", expires: "soon" })).toMatchObject([{ field: "timeout" }, { field: "expires" }]);
  });

  it("of a clone that keeps headers and payload ignores errors in their fields", () => {
    const headers = [{ name: "Host", value: "" }];
    expect(problems({ headers, keepsHeaders: true, payload: "{", keepsPayload: true })).toEqual([]);
  });
});
