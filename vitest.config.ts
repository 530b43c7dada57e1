import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests that take long: whole runs of chaos, outages of a database, waits of half a minute, many processes, large tables
 * and random races. A file becomes one by the end of its name and stays in its folder. `npm test` leaves them out,
 * `npm run test:long` runs them alone. A test that takes more than ten seconds belongs to them, which the durations
 * reporter checks, and so does a file that starts more than two processes.
 */
const LONG = "tests/**/*.long.test.ts";

/** Those of them that need a browser. They measure no time, so that three of them run at once. */
const LONG_E2E = "tests/e2e/**/*.long.test.ts";

/** Those that measure less than a second, or load the processor themselves. They run alone. */
const LONG_ALONE = [
  "tests/chaos/*.long.test.ts",
  "tests/integration/{api,cli}/listen-processes.long.test.ts",
  "tests/integration/api/slow-reads.long.test.ts",
  "tests/integration/dispatcher/{backlog-faults,clock-faults,connection-bounds,fairness}.long.test.ts",
  "tests/integration/dispatcher/{previous-release,rate-over-owners,stops}.long.test.ts",
];

/** Those that measure seconds. Two of them run at once: each leaves the processor idle for most of its time. */
const LONG_TIMED = [
  "tests/integration/api/unavailable.long.test.ts",
  "tests/integration/cli/listen.long.test.ts",
  "tests/integration/db/{cut-connections,several-hosts}.long.test.ts",
  "tests/integration/dispatcher/!(claim-cost|crash|observing|operations|restore).long.test.ts",
];

/** Tests that measure when requests leave, or how many connections that takes. They run alone, so that no other takes the processor. */
const TIMED = ["tests/integration/dispatcher/{closing-targets,delete-account,delivery,exactness}.test.ts"];

/** Tests that replace a module, or load one with another environment. */
const ISOLATED = ["tests/integration/api/fast-path.test.ts", "tests/integration/secrecy/canaries.test.ts"];

const ALONE = [...TIMED, ...ISOLATED];

const START_DATABASE = "tests/helpers/global-setup.ts";
const BUILD_PAGES = "tests/helpers/build-pages.ts";

/** How long to wait for what is polled for: as long as `waitFor` waits. A machine that stalls for a second fails no test. */
const POLL = { poll: { timeout: 30_000 } };

const withDatabase = {
  environment: "node",
  globalSetup: [START_DATABASE],
  maxConcurrency: 20,
  // It imports next/headers without an extension, which Node.js itself does not find.
  server: { deps: { inline: ["next-auth"] } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: POLL,
};

/** Begins with the files that open every page. They take longest, but are short, and Vitest begins with the largest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSweep = ({ moduleId }: TestSpecification) => /\/e2e\/(?:every-|accessibility-)/.test(moduleId);
    return [...sorted.filter(isSweep), ...sorted.filter((file) => !isSweep(file))];
  }
}

// The projects run one after the other, in the order of their groups. Within a project, `maxWorkers` files run at once.
export default defineConfig({
  test: {
    // As our processes do: whatever imports the database loads a second earlier.
    execArgv: ["--import", "./db/quick-drizzle.ts"],
    reporters: ["default", "./tests/helpers/report-durations.ts"],
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
          testTimeout: 20_000,
          expect: POLL,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "integration",
          include: ["tests/integration/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG, ...ALONE],
          ...withDatabase,
          // The files of a worker share what they import, which is half of their CPU time otherwise.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "alone",
          include: ALONE,
          ...withDatabase,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          exclude: [...configDefaults.exclude, LONG],
          ...withDatabase,
          globalSetup: [START_DATABASE, BUILD_PAGES],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: "long",
          include: [LONG],
          exclude: [...configDefaults.exclude, LONG_E2E, ...LONG_ALONE, ...LONG_TIMED],
          ...withDatabase,
          maxWorkers: 3,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          name: "long-timed",
          include: LONG_TIMED,
          exclude: [...configDefaults.exclude, ...LONG_ALONE],
          ...withDatabase,
          maxWorkers: 2,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          name: "long-alone",
          include: LONG_ALONE,
          ...withDatabase,
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          name: "long-e2e",
          include: [LONG_E2E],
          ...withDatabase,
          globalSetup: [START_DATABASE, BUILD_PAGES],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 3,
          sequence: { groupOrder: 8 },
        },
      },
      {
        test: {
          name: "image",
          include: ["tests/image/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 9 },
        },
      },
    ],
  },
});
