import { configDefaults, defineConfig } from "vitest/config";

/**
 * Tests that take long: whole runs of chaos, outages of a database, waits of half a minute, many processes, large tables
 * and random races. A file becomes one by the end of its name and stays in its folder. `npm test` leaves them out,
 * `npm run test:long` runs them alone. A test that takes more than ten seconds belongs to them, which the durations
 * reporter checks, and so does a file that starts more than two processes.
 */
const LONG = "tests/**/*.long.test.ts";

/** Those of them that need a browser: they measure no time, so that two of them run at once. */
const LONG_E2E = "tests/e2e/**/*.long.test.ts";

/** Tests that measure when requests leave. They run alone, so that no other takes the processor. */
const TIMED = ["tests/integration/dispatcher/{delete-account,delivery,exactness}.test.ts"];

/** Tests that replace a module, or load one with another environment. */
const ISOLATED = ["tests/integration/api/fast-path.test.ts", "tests/integration/secrecy/canaries.test.ts"];

const ALONE = [...TIMED, ...ISOLATED];

const START_DATABASE = "tests/helpers/global-setup.ts";
const BUILD_PAGES = "tests/helpers/build-pages.ts";

const withDatabase = {
  environment: "node",
  globalSetup: [START_DATABASE],
  maxConcurrency: 20,
  // It imports next/headers without an extension, which Node.js itself does not find.
  server: { deps: { inline: ["next-auth"] } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

// The projects run one after the other, in the order of their groups. Within a project, `maxWorkers` files run at once.
export default defineConfig({
  test: {
    reporters: ["default", "./tests/helpers/report-durations.ts"],
    coverage: {
      include: [
        "{app,billing,components,db,dispatcher,domain,mail,scripts,server}/**/*.{ts,tsx}",
        "sdk/src/**/*.ts",
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
          exclude: [...configDefaults.exclude, LONG_E2E],
          ...withDatabase,
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
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
          maxWorkers: 2,
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
