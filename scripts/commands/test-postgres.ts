import { finish } from "#tests/gate/finish.ts";
import { startTestRun } from "#tests/gate/test-run.ts";
import { command, UsageError } from "../command.ts";
import { installPackage } from "../packages/install-package.ts";
import { installRelease, OLDER_MAJORS } from "../postgres/releases.ts";

const MAJORS = [...OLDER_MAJORS, "18"];

/** Migrations, the start of a dispatcher, claims, records and retention. */
const CORE = [
  ...["lane-plans.long", "lanes", "migrator.long", "schema", "service-role"].map(
    (name) => `tests/integration/db/${name}.test.ts`,
  ),
  ...[
    "delivery",
    "heartbeat",
    "plans",
    "punctuality",
    "record",
    "regained-shards",
    "retention",
    "retention-rows-read",
    "shards",
  ].map((name) => `tests/integration/dispatcher/${name}.test.ts`),
  ...["migrate", "old-server"].map((name) => `tests/integration/scripts/${name}.test.ts`),
];

await command<{ core: boolean; report?: string }>({
  usage: `Usage: npm run test:postgres -- MAJOR [--core] [--report FILE]

Runs the integration tests, with their deliveries, on PostgreSQL MAJOR (${MAJORS.join(", ")}). When they are missing, it first
installs that major (scripts/postgres/releases/) and PostgreSQL 14, which is refused (tests/postgres/). "npm test" runs on 18,
or on the MAJOR that TEST_POSTGRES_MAJOR names.

  --core         only migrations, the start of a dispatcher, claims, records and retention
  --report FILE  also writes the results as JSON`,
  options: { core: { type: "boolean", default: false }, report: { type: "string" } },
  positionals: 1,
  async run({ core, report }, [major = ""]) {
    if (!MAJORS.includes(major))
      throw new UsageError(
        `'${major}' is no major version that Stopwatch is tested with: choose one of ${MAJORS.join(", ")}.`,
      );
    await installPackage("tests/postgres", "PostgreSQL 14");
    if (OLDER_MAJORS.includes(major)) await installRelease(major);
    // Read where the tests' server is started.
    process.env.TEST_POSTGRES_MAJOR = major;
    const run = await startTestRun(["integration", "isolated", "alone", "long-waiting"]);
    const all = ["integration", "isolated", "alone"].flatMap(run.files);
    return finish(run, await run.run(core ? CORE : all), { report, mayRepeat: true });
  },
});
