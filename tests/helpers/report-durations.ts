import type { Reporter, TestModule } from "vitest/node";

/** No test outside the long projects should take longer, ms. */
const TEST_MAX_MS = 10_000;

/**
 * Prints how long each project took, and names the tests that took over ten seconds although their files do not end in
 * `.long.test.ts`. It only warns, because a machine may be busy with something else.
 */
export default class DurationsReporter implements Reporter {
  /** When the first file of each project began, and the last one ended. */
  readonly #spans = new Map<string, { beganMs: number; endedMs: number }>();

  onTestModuleStart({ project }: TestModule): void {
    const nowMs = performance.now();
    if (!this.#spans.has(project.name)) this.#spans.set(project.name, { beganMs: nowMs, endedMs: nowMs });
  }

  onTestModuleEnd({ project }: TestModule): void {
    const span = this.#spans.get(project.name);
    if (span) span.endedMs = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const [name, { beganMs, endedMs }] of this.#spans) {
      console.log(`project ${name}: ${Math.round((endedMs - beganMs) / 1000)} s`);
    }
    for (const { test, module } of modules.flatMap(testsOf)) {
      const ms = test.diagnostic()?.duration ?? 0;
      if (ms <= TEST_MAX_MS || module.project.name.startsWith("long")) continue;
      console.warn(
        `over ${TEST_MAX_MS / 1000} s: ${module.relativeModuleId}, "${test.fullName}", ${Math.round(ms / 1000)} s. If it takes as long on a quiet machine, make it faster or move it to a .long.test.ts.`,
      );
    }
  }
}

const testsOf = (module: TestModule) => [...module.children.allTests()].map((test) => ({ test, module }));
