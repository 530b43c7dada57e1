import { describe, expect, it } from "vitest";
import { CreateInput } from "#contract/inputs/create-input.ts";
import { ListInput } from "#contract/inputs/list-input.ts";
import { LogsInput } from "#contract/inputs/logs-input.ts";
import { didYouMean } from "#domain/did-you-mean.ts";

const FIELDS = Object.keys(CreateInput.shape);
const FILTERS = Object.keys(ListInput.shape);

describe("didYouMean", () => {
  it.each([
    ...[
      ["target_url", "targetUrl"],
      ["TargetURL", "targetUrl"],
      ["fire_at", "fireAt"],
      ["idempotency-key", "idempotencyKey"],
    ],
    ...[
      ["early_fire", "earlyFire"],
      ["status[]", "status"],
    ],
  ])("recognises %s as another spelling of %s", (name, known) => {
    expect(didYouMean(name, [...FIELDS, ...FILTERS])).toBe(known);
  });

  it.each([
    ...[
      ["url", "targetUrl"],
      ["scheduled_at", "fireAt"],
      ["notBefore", "fireAt"],
      ["body", "payload"],
      ["data", "payload"],
    ],
    ...[
      ["destination", "targetUrl"],
      ["verb", "method"],
      ["dedup_key", "idempotencyKey"],
    ],
  ])("recognises %s as other services' name for %s", (name, known) => {
    expect(didYouMean(name, FIELDS)).toBe(known);
  });

  it.each([
    ...[
      ["starting_after", "after"],
      ["cursor", "after"],
      ["page_size", "limit"],
      ["per_page", "limit"],
      ["state", "status"],
    ],
    ...[
      ["query", "q"],
      ["since", "from"],
      ["until", "to"],
      ["order_by", "sort"],
      ["created[gte]", "from"],
    ],
  ])("recognises %s as other lists' name for %s", (name, known) => {
    expect(didYouMean(name, FILTERS)).toBe(known);
  });

  it("tolerates one extra, missing, wrong or swapped letter in words that are long enough", () => {
    for (const name of ["fireAtt", "firAt", "fireAy", "fierAt"]) expect(didYouMean(name, FIELDS)).toBe("fireAt");
    expect(didYouMean("payloda", FIELDS)).toBe("payload");
    expect(didYouMean("frm", FILTERS)).toBeUndefined();
  });

  it("proposes only names that are known in this place, and nothing for a name like no other", () => {
    expect(
      didYouMean(
        "status",
        Object.keys(LogsInput.shape).filter((name) => name !== "outcome"),
      ),
    ).toBeUndefined();
    expect(didYouMean("body", ["fireAt"])).toBeUndefined();
    for (const name of ["", "__proto__", "constructor", "x", "тест", "a".repeat(10_000)]) {
      expect(didYouMean(name, FIELDS)).toBeUndefined();
    }
  });
});
