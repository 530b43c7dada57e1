import { expect, it } from "vitest";
import { SIGN_IN_FAILURE_CODES } from "#components/sign-in/failures.ts";
import { SIGN_IN_FAILURES } from "#server/auth/sign-in-failure.ts";

it("the sign-in page has words for every way in which a sign-in can fail", () => {
  expect(SIGN_IN_FAILURE_CODES.toSorted()).toEqual(SIGN_IN_FAILURES.toSorted());
});
