import { readFile } from "node:fs/promises";

/** The ids of the server actions in the build that was started last, by the path of their page. */
export async function readActionIds(): Promise<Map<string, string>> {
  const { node } = JSON.parse(await readFile(".next/server/server-reference-manifest.json", "utf8"));
  return new Map(
    Object.entries<{ workers: object }>(node).flatMap(([id, { workers }]) =>
      Object.keys(workers).map((worker) => [worker.replace(/^app\/\(dashboard\)|\/page$/g, ""), id] as const),
    ),
  );
}
