import { constants } from "node:os";
import { relative } from "node:path";
import { createVitest, type Reporter, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";
import { pause } from "#tests/helpers/time.ts";
import { endLeftBehind } from "./end-left-behind.ts";
import type { Failure, FileResult } from "./verdict.ts";

/** Begins the note of a test that the machine's stalls left without a verdict (`tests/helpers/on-time.ts`). */
const NOT_JUDGED = "not judged: ";
const SLOW = "slow: ";

/** Runs test files, in as many steps as wanted, in one Vitest with one database server. `close` ends it. */
export async function startTestRun(projects: readonly string[]) {
  const slow = new Map<string, string[]>();
  /** When each file of the current step began, ms. */
  const began = new Map<string, number>();
  const ended = new Set<string>();
  let isCancelled = false;
  let cancelled = Promise.withResolvers<void>();
  let isEnding = false;
  const listening: Reporter = {
    onUserConsoleLog({ content, taskId }) {
      const file = fileOf(vitest, taskId);
      const found = content.split("\n").filter((line) => line.startsWith(SLOW));
      slow.set(file, [...(slow.get(file) ?? []), ...found.map((line) => line.slice(SLOW.length))]);
    },
    onTestModuleStart({ moduleId }) {
      began.set(pathOf(moduleId), performance.now());
    },
    onTestModuleEnd({ moduleId }) {
      if (!isCancelled) ended.add(pathOf(moduleId));
    },
  };
  const vitest = await createVitest("test", {
    watch: false,
    project: [...projects],
    reporters: ["default", listening],
  });
  /** Stops the database server and the workers. A worker that does not end in time is ended. */
  const close = async () => {
    await Promise.race([vitest.close(), pause(END_MS)]);
    await endLeftBehind();
  };
  const cancel = async () => {
    isCancelled = true;
    void vitest.cancelCurrentRun("test-failure");
    await pause(CANCEL_MS);
    // The second one does not wait for the tests that run, but for their workers, which may hang.
    await Promise.race([vitest.cancelCurrentRun("test-failure"), pause(END_MS)]);
    cancelled.resolve();
  };
  for (const signal of STOP_SIGNALS) {
    // Vitest would exit at once. The database server does not get the signals of a terminal: it would stay.
    process.removeAllListeners(signal);
    process.once(signal, async () => {
      isEnding = true;
      await cancel();
      await close();
      process.exit(128 + constants.signals[signal]);
    });
  }
  await vitest.standalone();
  const specifications = await vitest.globTestSpecifications();
  return {
    /** The files of a project, by path. */
    files: (project: string): string[] =>
      specifications.filter((one) => one.project.name === project).map(({ moduleId }) => pathOf(moduleId)),
    /** Runs these files, as many at once as their project allows. */
    async run(files: readonly string[]): Promise<FileResult[]> {
      const wanted = specifications.filter(({ moduleId }) => files.includes(pathOf(moduleId)));
      if (wanted.length === 0) return [];
      // The process is about to end: nobody waits for the results any more.
      if (isEnding) await new Promise(() => {});
      isCancelled = false;
      cancelled = Promise.withResolvers();
      for (const { moduleId } of wanted) {
        for (const step of [slow, began, ended]) step.delete(pathOf(moduleId));
      }
      const whole = await Promise.race([vitest.runTestSpecifications(wanted), cancelled.promise]);
      const errors = isCancelled || !whole ? [] : whole.unhandledErrors;
      const results = readResults(wanted, vitest.state.getTestModules(), errors, slow);
      const ranS = (file: string) => (performance.now() - (began.get(file) ?? performance.now())) / 1_000;
      return results.map((one) => {
        if (ended.has(one.file)) return one;
        return isCancelled ? unfinished(one, ranS(one.file)) : crashed(one);
      });
    },
    /** Ends what runs. Files that had not ended by then fail with `UNFINISHED` alone. */
    cancel,
    close,
  };
}

const CANCEL_MS = 2_000;
const END_MS = 10_000;

/** The text of the failure of a file that was ended before its end. */
export const UNFINISHED = "it did not come to its end";

export const isUnfinished = ({ failures }: FileResult): boolean => failures[0]?.text === UNFINISHED;

/** `seconds` is how long it had run; 0 for a file that had not begun. */
function unfinished({ file, project, slow }: FileResult, seconds: number): FileResult {
  const failures = [{ test: "(the file)", text: UNFINISHED }];
  return { file, project, seconds, passed: 0, notRun: 0, failures, notJudged: [], slow };
}

const crashed = (one: FileResult): FileResult => ({
  ...one,
  failures: [...one.failures, { test: "(the file)", text: "its worker ended before it" }],
});

const pathOf = (moduleId: string) => relative(process.cwd(), moduleId);

function fileOf(vitest: Vitest, taskId: string | undefined): string {
  const file = taskId === undefined ? undefined : vitest.state.idMap.get(taskId)?.file?.filepath;
  return file === undefined ? "" : pathOf(file);
}

function readResults(
  wanted: readonly TestSpecification[],
  modules: readonly TestModule[],
  unhandled: readonly unknown[],
  slow: ReadonlyMap<string, string[]>,
): FileResult[] {
  const results = wanted.map((specification) => {
    const found = modules.find(
      ({ moduleId, project }) => moduleId === specification.moduleId && project === specification.project,
    );
    return readModule(pathOf(specification.moduleId), specification.project.name, found, slow);
  });
  for (const error of unhandled as { message?: string; stack?: string; VITEST_TEST_PATH?: string }[]) {
    const path = error.VITEST_TEST_PATH === undefined ? "" : pathOf(error.VITEST_TEST_PATH);
    const result = results.find(({ file }) => file === path) ?? results[0];
    result?.failures.push({ test: "(an error behind the tests)", text: `${error.stack ?? error.message ?? error}` });
  }
  return results;
}

function readModule(
  file: string,
  project: string,
  module: TestModule | undefined,
  slow: ReadonlyMap<string, string[]>,
): FileResult {
  const none = { seconds: 0, passed: 0, notRun: 0, failures: [], notJudged: [], slow: [] };
  if (!module) return { file, project, ...none };
  const tests = [...module.children.allTests()];
  const failures: Failure[] = tests.flatMap((test) => {
    const result = test.result();
    return result.state === "failed" ? [{ test: test.fullName, text: messages(result.errors) }] : [];
  });
  const errors = [module, ...module.children.allSuites()].flatMap((one) => one.errors());
  if (errors.length > 0) failures.push({ test: "(the file or a hook)", text: messages(errors) });
  const skipped = tests.flatMap((test) => {
    const result = test.result();
    return result.state === "skipped" ? [{ test, note: result.note ?? "" }] : [];
  });
  return {
    file,
    project,
    seconds: (module.diagnostic().collectDuration + module.diagnostic().duration) / 1_000,
    passed: tests.filter((test) => test.result().state === "passed").length,
    notRun: skipped.length,
    failures,
    notJudged: skipped
      .filter(({ note }) => note.startsWith(NOT_JUDGED))
      .map(({ test, note }) => `${file}: ${test.fullName}: ${note.slice(NOT_JUDGED.length)}`),
    slow: (slow.get(file) ?? []).map((text) => `${file}: ${text}`),
  };
}

const messages = (errors: readonly { message: string; stack?: string }[]) =>
  errors.map(({ message, stack }) => (stack?.includes(message) ? stack : `${message}\n${stack ?? ""}`)).join("\n");
