import { expect, it } from "vitest";
import { describeError } from "#domain/describe-error.ts";

it("a failed query is logged without its parameters and without the row that a constraint refused", () => {
  const cause = Object.assign(new Error("duplicate key value violates unique constraint"), {
    code: "23505",
    detail: "Key (idempotency_key)=(canary) already exists.",
    parameters: ["canary"],
  });
  const error = Object.assign(new Error("Failed query: select $1\nparams: canary", { cause }), {
    query: "select $1",
    params: ["canary"],
  });
  const logged = JSON.stringify(describeError(error));
  expect(logged).not.toContain("canary");
  expect(logged).toContain("select $1");
  expect(logged).toContain("23505");
});

it("a thrown value that is no error is logged as text", () => {
  expect(describeError("boom")).toEqual({ message: "boom" });
});
