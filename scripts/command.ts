import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

type Values = Record<string, string | boolean | undefined>;

/**
 * Runs an operator command: reads its options, answers `--help`, and turns the result of `run` into the exit code
 * (nothing is 0). What an operator can mend is shown as its message alone, with exit code 1; wrong options end with 2.
 */
export async function command<Options extends Values>(spec: {
  usage: string;
  options: ParseArgsOptionsConfig;
  positionals?: number;
  run: (options: Options, positionals: string[]) => Promise<number | undefined>;
}) {
  const given = read(spec);
  if (given.values.help) return console.log(spec.usage);
  try {
    process.exitCode = (await spec.run(given.values as Options, given.positionals)) ?? 0;
  } catch (error) {
    console.error(isMendable(error) ? (error as Error).message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** The options given to a command do not fit together. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

// By name: the command that mends package-lock.json must not need the packages that these classes import.
const MENDABLE = [
  "UsageError",
  "SetupError",
  "ConfigError",
  "InstallationError",
  "MigrationError",
  "DatabaseUnavailable",
  "AppError",
];

// Files and folders that cannot be used included: their errors name the path and the reason.
function isMendable(error: unknown): boolean {
  return error instanceof Error && (MENDABLE.includes(error.constructor.name) || "path" in error);
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
    console.error(`${(error as Error).message.split(". ")[0]}.\n\n${spec.usage}`);
    process.exit(2);
  }
}
