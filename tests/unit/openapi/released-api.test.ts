import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { API_BASELINE } from "#scripts/release/api-baseline.ts";
import { openApiDocument } from "#server/reference/openapi.ts";
import { compareDocuments } from "#tests/helpers/openapi/compare-documents.ts";

const isThere = existsSync(API_BASELINE);

it.skipIf(!isThere)(
  isThere ? "the API still keeps what the last release promised" : `not run: ${API_BASELINE} is not here`,
  () => {
    const released = JSON.parse(readFileSync(API_BASELINE, "utf8"));
    const current = JSON.parse(JSON.stringify(openApiDocument("https://stopwatch.example")));
    expect(compareDocuments(released, current), "scripts/release/README.md says what may change").toEqual([]);
  },
);
