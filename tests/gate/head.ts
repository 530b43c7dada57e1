import { globSync, readFileSync } from "node:fs";

/** What a test file says of itself in its first lines, such as `// Guards: db/**, domain/**`. */
export type Head = {
  /** Globs of the sources that a change must touch to be worth a run of this long file. */
  guards: string[];
  /** What `npm ci` does not install; see `needs.ts`. */
  needs: string[];
  /** Whether a failure stands: its verdict is about what was sent, stored, kept or allowed. */
  isFinal: boolean;
};

const LINE = /^\/\/ (Guards|Needs|Final): (.+)$/;

/** Reads the head of a test file. */
export function readHead(file: string): Head {
  const head: Head = { guards: [], needs: [], isFinal: false };
  for (const line of readFileSync(file, "utf8").split("\n", 4)) {
    const [, key, value = ""] = LINE.exec(line) ?? [];
    if (key === "Guards") head.guards = list(value);
    if (key === "Needs") head.needs = list(value);
    if (key === "Final") head.isFinal = true;
  }
  return head;
}

/** Every test file, the long ones included. */
export const testFiles = (): string[] => globSync("tests/**/*.test.ts", { exclude: ["**/node_modules/**"] });

export const isLong = (file: string): boolean => file.endsWith(".long.test.ts");

/** What these files need, each once. */
export const needsOf = (files: readonly string[]): string[] => [
  ...new Set(files.flatMap((file) => readHead(file).needs)),
];

const list = (text: string) => text.split(",").map((one) => one.trim());
