import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openApiDocument } from "#server/reference/openapi.ts";

/** The OpenAPI document of the last release, below the root of the project. */
export const API_BASELINE = "tests/baseline/openapi.json";

/** Makes today's OpenAPI document the one that later versions are compared with. `folder` is the root of a checkout. */
export async function writeApiBaseline(folder: string): Promise<void> {
  const file = join(folder, API_BASELINE);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(openApiDocument(ADDRESS))}\n`);
}

/** No address is part of the promise. */
const ADDRESS = "https://stopwatch.example";
