import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

type Values = Record<string, string | boolean | undefined>;

/**
 * Runs a command: parses its options, answers `--help`, and turns the result of `run` into the exit code (nothing means
 * 0). For errors that the operator can correct, it prints the message alone and exits with 1. Invalid options exit with
 * 2.
 */
export async function command<Options extends Values>(spec: {
  usage: string;
  options: ParseArgsOptionsConfig;
  positionals?: number;
  run: (options: Options, positionals: string[]) => Promise<number | undefined>;
}) {
  // Behind head, or when its terminal was closed, a command still ends in order.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const given = read(spec);
  if (given.values.help) return console.log(shown(spec.usage));
  try {
    process.exitCode = (await spec.run(given.values as Options, given.positionals)) ?? 0;
  } catch (error) {
    console.error(isCorrectable(error) ? (error as Error).message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** The options of a command are invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

// Compared by name: the command that repairs package-lock.json must run without the packages that these classes import.
const CORRECTABLE = [
  "UsageError",
  "SetupError",
  "ConfigError",
  "InstallationError",
  "MigrationError",
  "DatabaseUnavailable",
  "AppError",
];

// Errors of the file system are included, because they name the path and the reason.
function isCorrectable(error: unknown): boolean {
  return error instanceof Error && (CORRECTABLE.includes(error.constructor.name) || "path" in error);
}

/** The usage where there is no npm (`scripts/stopwatch.ts`). */
function shown(usage: string): string {
  if (!process.argv[1]?.endsWith("stopwatch.ts")) return usage;
  return usage.replaceAll(/npm run ([a-z-]+)(?: --)?/g, "stopwatch $1");
}

function read(spec: { usage: string; options: ParseArgsOptionsConfig; positionals?: number }) {
  try {
    const parsed = parseArgs({
      options: { ...spec.options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    const extra = parsed.positionals[spec.positionals ?? 0];
    if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'`);
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    console.error(`${(error as Error).message.split(". ")[0]}.\n\n${shown(spec.usage)}`);
    process.exit(2);
  }
}
