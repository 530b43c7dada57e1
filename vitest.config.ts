import { relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { AT_ONCE } from "./tests/gate/at-once.ts";
import { readDurations } from "./tests/gate/durations.ts";
import { patient } from "./tests/helpers/patience.ts";

/** Tests that take long. A file becomes one by the end of its name; its first line says what it guards (`tests/gate/head.ts`). */
const LONG = "tests/**/*.long.test.ts";

/** Those of them that need a browser. They measure no time. */
const LONG_E2E = "tests/e2e/**/*.long.test.ts";

/** Those that measure less than some seconds, or load the processor themselves. They run alone. The others mostly wait. */
const LONG_TIMED = [
  "tests/chaos/*.long.test.ts",
  "tests/integration/{api,cli}/listen-processes.long.test.ts",
  "tests/integration/api/{slow-reads,suspended-function,unavailable}.long.test.ts",
  "tests/integration/dispatcher/{backlog,clock,disk,postgres,server}-faults.long.test.ts",
  "tests/integration/dispatcher/{claim-cost,connection-bounds,fairness}.long.test.ts",
  "tests/integration/dispatcher/{previous-release,rate-held-up,retention-and-deliveries,stops}.long.test.ts",
];

/** Tests that measure when requests leave, or how many connections that takes. They run alone, so that no other takes the processor. */
const ALONE = ["tests/integration/dispatcher/{closing-targets,delete-account,exactness,punctuality}.test.ts"];

/** Tests that replace a module, or load one with another environment. */
const ISOLATED = [
  "tests/integration/api/fast-path.test.ts",
  // Next.js changes how errors are shown.
  "tests/integration/api/proxy-matcher.test.ts",
  "tests/integration/secrecy/canaries.test.ts",
];

/** They wait for the database as much as they compute. */
const CORE_WORKERS = 3;

const START_DATABASE = "tests/helpers/global-setup.ts";
const BUILD_PAGES = "tests/helpers/build-pages.ts";

/** How long to wait for what is polled for, as long as `waitFor` waits. */
const POLL = { poll: { timeout: patient(30_000) } };

const withDatabase = {
  environment: "node",
  globalSetup: [START_DATABASE],
  maxConcurrency: 20,
  // It imports next/headers without an extension, which Node.js itself does not find.
  server: { deps: { inline: ["next-auth"] } },
  testTimeout: patient(60_000),
  hookTimeout: patient(60_000),
  expect: POLL,
};

/** Begins with the files that took longest, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = readDurations();
    const secondsIn = ({ moduleId }: TestSpecification) => secondsOf(relative(import.meta.dirname, moduleId));
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    return files.toSorted((a, b) => groupOf(a) - groupOf(b) || secondsIn(b) - secondsIn(a));
  }
}

// Groups run one after the other. Within one, `maxWorkers` files run at once.
export default defineConfig({
  test: {
    // As our processes do: whatever imports the database loads a second earlier.
    execArgv: ["--import", "./db/quick-drizzle.ts"],
    sequence: { sequencer: LongestFirst },
    coverage: {
      include: [
        "{app,billing,components,db,dispatcher,domain,mail,scripts,server}/**/*.{ts,tsx}",
        "{cli,sdk}/src/**/*.ts",
        "config.ts",
      ],
      reporter: ["text-summary", "html"],
      reportOnFailure: true,
    },
    projects: [
      {
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG],
          environment: "node",
          // The files of a worker share what they import, which is more than half of their CPU time otherwise.
          isolate: false,
          testTimeout: patient(20_000),
          expect: POLL,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "integration",
          include: ["tests/integration/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG, ...ALONE, ...ISOLATED],
          ...withDatabase,
          // The files of a worker share what they import, which is half of their CPU time otherwise.
          isolate: false,
          maxWorkers: CORE_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "isolated",
          include: ISOLATED,
          ...withDatabase,
          maxWorkers: CORE_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG],
          ...withDatabase,
          globalSetup: [START_DATABASE, BUILD_PAGES],
          maxWorkers: CORE_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "alone",
          include: ALONE,
          ...withDatabase,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "long-waiting",
          include: [LONG],
          exclude: [...configDefaults.exclude, LONG_E2E, ...LONG_TIMED],
          ...withDatabase,
          maxWorkers: AT_ONCE["long-waiting"],
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: "long-timed",
          include: LONG_TIMED,
          ...withDatabase,
          maxWorkers: AT_ONCE["long-timed"],
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          name: "long-e2e",
          include: [LONG_E2E],
          ...withDatabase,
          globalSetup: [START_DATABASE, BUILD_PAGES],
          maxWorkers: AT_ONCE["long-e2e"],
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          name: "image",
          include: ["tests/image/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 7 },
        },
      },
    ],
  },
});
