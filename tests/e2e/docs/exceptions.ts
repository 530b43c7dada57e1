import type { Fence } from "./fences.ts";

/** Code blocks of a page, by a piece of their text; without one, all of the page. */
type Blocks = { page: string; has?: string };

const BY_MANIFESTS = "tests/unit/deploy/kubernetes.test.ts reads what they apply";

/** What a reader can run and this test cannot, and why. */
const NOT_RUN: readonly (Blocks & { reason: string })[] = [
  {
    page: "receivers",
    has: "export STOPWATCH_SECRET",
    reason: "a reader takes one line; each of the files is started above",
  },
  { page: "sdk", has: "pnpm add", reason: "pnpm is not installed here; tests/runtimes/ has it" },
  { page: "sdk", has: "bun add", reason: "Bun is not installed here; tests/runtimes/ has it" },
  { page: "sdk", has: 'from "http://', reason: "Deno is not installed here; tests/runtimes/ has it" },
  { page: "self-hosting", reason: "installs and starts what this test runs against" },
  { page: "containers", has: "docker compose up --build", reason: "needs a Docker daemon" },
  { page: "containers", has: "docker compose build", reason: "needs a Docker daemon" },
  { page: "containers", has: "kubectl create", reason: `needs a cluster; ${BY_MANIFESTS}` },
  { page: "containers", has: "kubectl --namespace stopwatch delete", reason: `needs a cluster; ${BY_MANIFESTS}` },
  { page: "containers", has: "kubectl --namespace stopwatch exec", reason: "needs a cluster" },
  { page: "one-machine", has: "npm ci\nnpm start", reason: "installs and starts what this test runs against" },
  { page: "one-machine", has: "--yes npm postgresql", reason: "installs packages of the distribution" },
  { page: "one-machine", has: "--yes caddy", reason: "installs packages of the distribution" },
  { page: "one-machine", has: "npm run backup", reason: "needs the data folder of npm start" },
  { page: "operations", has: "npm run reconcile", reason: "asks at a terminal, about a restored database" },
  { page: "scaling", reason: "starts further processes, which stay" },
  { page: "upgrades", reason: "needs an installation of a former version" },
];

/** Blocks that another test takes from the page and runs, which names the page. */
const RUN_BY: readonly (Blocks & { test: string })[] = [
  { page: "one-machine", test: "tests/integration/docs/one-machine.long.test.ts" },
  { page: "containers", has: "docker run --detach", test: "tests/image/image.test.ts" },
  { page: "own-database", has: "CREATE ROLE", test: "tests/integration/docs/own-database.long.test.ts" },
  { page: "own-database", has: "npm start", test: "tests/integration/docs/own-database.long.test.ts" },
  { page: "own-database", has: "GRANT USAGE", test: "tests/helpers/service-role.ts" },
  ...["@hono/node-server", "express from", 'from "fastify"', "cloudflare:workers"].map((has) => {
    return { page: "receivers", has, test: "tests/integration/examples/deliveries.long.test.ts" };
  }),
];

const matches =
  ({ page, has = "" }: Blocks) =>
  (fence: Fence) =>
    fence.page === page && fence.code.includes(has);

/** Why this test does not run a block: it cannot, or another test does; null when this one does. */
export function exceptionOf(fence: Fence): "not-run" | "run-by" | null {
  if (NOT_RUN.some((entry) => matches(entry)(fence))) return "not-run";
  return RUN_BY.some((entry) => matches(entry)(fence)) ? "run-by" : null;
}

/** The entries that match none of these blocks, or more than the one that they are for. */
export function wrongExceptions(fences: readonly Fence[]): Blocks[] {
  return [...NOT_RUN, ...RUN_BY].filter((entry) => {
    const { length } = fences.filter(matches(entry));
    return entry.has === undefined ? length === 0 : length !== 1;
  });
}

/** The tests that run blocks of pages, each with its page. */
export const OTHER_TESTS = RUN_BY.map(({ page, test }) => ({ page, test }));
