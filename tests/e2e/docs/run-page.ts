import postgres from "postgres";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { exceptionOf } from "./exceptions.ts";
import { type Fence, fileOf, isProgram, programOf } from "./fences.ts";
import type { Installation, Reader } from "./installation.ts";
import { forOperator } from "./operator.ts";
import { Placeholders } from "./placeholders.ts";
import { differences } from "./shapes.ts";
import { type Output, type Serving, Terminal } from "./terminal.ts";

/** What starts a program of a language, without its file. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  js: ["node"],
  ts: ["node"],
  py: ["python3"],
  go: ["go", "run"],
  php: ["php"],
  rb: ["ruby"],
};
const ENDINGS: Readonly<Record<string, string>> = { js: "mjs", ts: "mts" };

/** A shell block with this title stays while the next ones run. */
const OTHER_TERMINAL = /^(?:another|second|third) terminal$/i;

/** The title of what a reader has with another service. */
export const BEFORE = "Before";

/** Whether a block is a command or a program for Stopwatch, and not something shown. */
export const isRunnable = (fence: Fence): boolean =>
  fence.title !== BEFORE && (["sh", "sql"].includes(fence.language) || isProgram(fence));

/**
 * Runs the blocks of a page in their order, in one folder, as a reader would. Throws an Error that shows the first one
 * that fails, or whose shown answer has another shape than the real one.
 */
export async function runPage(on: Installation, reader: Reader, fences: readonly Fence[]): Promise<void> {
  const page = new PageRun(on, reader, fences);
  try {
    for (const fence of fences) {
      if (exceptionOf(fence) !== null || fence.title === BEFORE) continue;
      await page.step(fence).catch((error) => {
        const place = `${fence.page}.md, block ${fence.at}: ${fence.language} ${fence.title}`;
        throw new Error(`${place}\n${fence.code}\n\n${error.message}`, { cause: error });
      });
    }
  } finally {
    await page.close();
  }
}

class PageRun {
  readonly #settings: Installation["settings"];
  readonly #reader: Reader;
  readonly #fences: readonly Fence[];
  readonly #placeholders: Placeholders;
  readonly #terminal: Terminal;
  /** What the call before has answered. */
  #answer: unknown;

  constructor(on: Installation, reader: Reader, fences: readonly Fence[]) {
    this.#settings = on.settings;
    this.#reader = reader;
    this.#fences = fences;
    this.#placeholders = new Placeholders(on, reader, fences);
    this.#terminal = new Terminal(reader.folder, reader.env);
  }

  close = () => this.#terminal.close();

  async step(fence: Fence): Promise<void> {
    if (fence.language === "sh") return this.#runShell(fence);
    if (fence.language === "sql") return runSql(this.#reader.database.url, fence.code);
    if (isProgram(fence)) return this.#runProgram(fence);
    if (fence.language === "json") this.#compare(fence);
    const file = fileOf(fence);
    if (file !== null) await this.#terminal.write(file, await this.#placeholders.fill(fence.code));
  }

  async #runShell(fence: Fence): Promise<void> {
    const code = await this.#placeholders.fill(fence.code);
    const { ports } = this.#placeholders;
    if (OTHER_TERMINAL.test(fence.title)) {
      this.#placeholders.keepIds(await this.#terminal.runInBackground(code));
      return;
    }
    const { exitCode, status } = this.#shownAfter(fence);
    const script = forOperator(code, this.#settings);
    const output = await this.#terminal.shell(script, ports, this.#deliver(code), exitCode);
    this.#placeholders.keepIds(output.stdout);
    this.#answer = jsonIn(output.stdout);
    assertStatuses(output, status);
  }

  async #runProgram(fence: Fence): Promise<void> {
    const before = this.#fences.slice(0, this.#fences.indexOf(fence));
    const code = await this.#placeholders.fill(programOf(fence, before));
    const named = fileOf(fence);
    const file = named ?? `example-${fence.at}.${ENDINGS[fence.language] ?? fence.language}`;
    await this.#terminal.write(file, code);
    const later = this.#fences.filter(({ language, at }) => language === "sh" && at > fence.at);
    if (named !== null && later.some((one) => one.code.includes(named))) return;
    const { ports } = this.#placeholders;
    const serve = code.includes("php://input")
      ? ["-S", `localhost:${ports.find((port) => code.includes(String(port)))}`]
      : [];
    const command = [...(COMMANDS[fence.language] ?? []), ...serve, file];
    const { stdout } = await this.#terminal.run(command, code, ports, this.#deliver(code));
    this.#placeholders.keepIds(stdout, { onlyFirst: true });
  }

  /** What is shown after a command, before the next one: the status of its answer, or its exit code. */
  #shownAfter(fence: Fence): { status?: number; exitCode?: number } {
    const after = this.#fences.slice(this.#fences.indexOf(fence) + 1);
    const until = after.findIndex(({ language }) => language === "sh");
    const shown = until === -1 ? after : after.slice(0, until);
    const status = shown.find(({ language }) => language === "json")?.title.match(/^\d{3}\b/)?.[0];
    const exitCode = shown.flatMap(({ title }) => /^exit code (\d+)$/i.exec(title)?.[1] ?? [])[0];
    return { ...(status && { status: Number(status) }), ...(exitCode && { exitCode: Number(exitCode) }) };
  }

  /** A JSON block that has the title of a status, or none, shows the answer to the call before it. */
  #compare(fence: Fence): void {
    const shown = JSON.parse(fence.code);
    if (this.#answer === undefined || !/^(?:\d{3}\b.*)?$/.test(fence.title)) return;
    const wrong = differences(shown, this.#answer);
    if (wrong.length === 0) return;
    throw new Error(`the real answer differs: ${wrong.join("; ")}\n${JSON.stringify(this.#answer, null, 2)}`);
  }

  /** Sends a signed delivery to a server of the page, which has to answer it with 2xx. */
  #deliver(code: string): Serving {
    const path = /["'`](\/[\w/-]*hook[\w/-]*)["'`]/.exec(code)?.[1] ?? "/hook";
    return async (ports, program) => {
      for (const port of ports) {
        const targetUrl = `http://localhost:${port}${path}`;
        const request = { targetUrl, fireIn: "1s", payload: '{"order":"A-81"}' };
        const headers = { "Content-Type": "application/json" };
        const { id } = await this.#reader.call("POST", "/v1/schedules", { ...request, headers });
        const attempts = () => this.#reader.call("GET", `/v1/schedules/${id}/attempts`);
        const [attempt] = await waitFor(
          "the delivery to the page's server",
          async () => {
            const { items } = await attempts();
            return items.length > 0 && items;
          },
          30_000,
        );
        if (attempt.status_code >= 200 && attempt.status_code < 300) continue;
        throw new Error(`its answer to a delivery: ${JSON.stringify(attempt)}\n${program.stdout}\n${program.stderr}`);
      }
    };
  }
}

/** A call fails unless the page shows its status. */
function assertStatuses({ stdout, statuses }: Output, shown: number | undefined): void {
  const [last, ...others] = statuses.toReversed();
  if (last === undefined) return;
  const isAsShown = shown === undefined ? last < 400 : last === shown;
  if (!isAsShown || others.some((status) => status >= 400)) throw new Error(`answered ${statuses}: ${stdout}`);
}

/** The JSON in an output, which may have headers before it; undefined when there is none. */
function jsonIn(output: string): unknown {
  const at = output.search(/^[{[]/m);
  try {
    return at === -1 ? undefined : JSON.parse(output.slice(at));
  } catch {
    return undefined;
  }
}

async function runSql(url: string, statements: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statements);
  } finally {
    await sql.end();
  }
}
