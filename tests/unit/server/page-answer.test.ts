import { describe, expect, it } from "vitest";
import { answerPageWith, isAnswerToForm, withPageAnswer } from "#server/http/page-answer.ts";

/** What a page that calls `render` made of its answer. */
async function answer(render: () => void, request: { method?: string; headers?: Record<string, string> } = {}) {
  const headers = new Map<string, string>();
  const response = {
    statusCode: 200,
    headersSent: false,
    setHeader: (name: string, value: string) => headers.set(name, value),
  };
  await new Promise<void>((resolve) => {
    withPageAnswer({ request: { method: "GET", headers: {}, ...request }, response: response as never }, async () => {
      await null;
      setImmediate(() => {
        render();
        resolve();
      });
    });
  });
  return { status: response.statusCode, headers };
}

describe("a page that is rendered asynchronously", () => {
  it("sets status and Retry-After of its own answer", async () => {
    const [missing, away, fine] = await Promise.all([
      answer(() => answerPageWith(404)),
      answer(() => answerPageWith(503, "5")),
      answer(() => {}),
    ]);
    expect([missing.status, away.status, fine.status]).toEqual([404, 503, 200]);
    expect(missing.headers.size).toBe(0);
    expect(away.headers.get("Retry-After")).toBe("5");
  });

  it("sets no status when a script asked for its data", async () => {
    for (const name of ["rsc", "next-action"]) {
      const { status } = await answer(() => answerPageWith(404), { method: "POST", headers: { [name]: "1" } });
      expect(status).toBe(200);
    }
  });

  it("knows whether it answers a form that was sent without scripts", async () => {
    const seen: boolean[] = [];
    await answer(() => seen.push(isAnswerToForm()), { method: "POST" });
    await answer(() => seen.push(isAnswerToForm()), { method: "POST", headers: { "next-action": "1" } });
    await answer(() => seen.push(isAnswerToForm()));
    expect(seen).toEqual([true, false, false]);
  });

  it("does nothing without the HTTP guard", () => {
    answerPageWith(404);
    expect(isAnswerToForm()).toBe(false);
  });
});
