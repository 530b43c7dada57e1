import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Program, runInBackground, runUntilDone, start, stop } from "./programs.ts";

const SERVES = /\.listen\(|ListenAndServe|HTTPServer|php -S|tcp_server_loop|\bserve\(/;

/** What a command has left: its output, and the statuses of the calls that curl made. */
export type Output = { stdout: string; statuses: number[] };

/** A reader's terminals in one folder. What a command exports, and the folder it goes to, holds for the next one. */
export class Terminal {
  readonly #state: string;
  readonly #running: { program: Program; ports: readonly number[]; command?: string }[] = [];
  #env: Record<string, string>;
  #cwd: string;

  constructor(folder: string, env: Record<string, string>) {
    this.#cwd = folder;
    this.#env = env;
    this.#state = join(folder, "home", "state");
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.#cwd, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${text}\n`);
  }

  /** Runs a shell script. Throws an Error with what it printed when its exit code is another than `exitCode`. */
  async shell(script: string, ports: readonly number[], onServing: Serving, exitCode = 0): Promise<Output> {
    const named = [...script.matchAll(/[\w./-]+\.\w+/g)].map(([file]) => join(this.#cwd, file));
    const files = named.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
    const whole = `set -eo pipefail\n${script}\n{ env -0; printf 'CWD=%s' "$PWD"; } > ${this.#state}`;
    const output = await this.run(["bash", "-c", whole], [script, ...files].join("\n"), ports, onServing, exitCode);
    await this.#takeState();
    return output;
  }

  /**
   * Runs a program of this `code` to its end. One that serves is left running once it listens on one of `ports`, instead
   * of an earlier one on the same port.
   */
  async run(
    command: readonly string[],
    code: string,
    ports: readonly number[],
    onServing: Serving,
    exitCode = 0,
  ): Promise<Output> {
    for (const { program } of this.#others(code)) await stop(program);
    const served = SERVES.test(code) ? portsIn(code, ports) : [];
    for (const one of this.#running) if (one.ports.some((port) => served.includes(port))) await stop(one.program);
    const env = served.length === 1 && /\bPORT\b/.test(code) ? { ...this.#env, PORT: String(served[0]) } : this.#env;
    const program = start(command, this.#cwd, env);
    const ended = await runUntilDone(program, served);
    if (ended === null) {
      this.#running.push({ program, ports: served });
      await onServing(served, program);
    } else if (ended !== exitCode) throw new Error(`exit code ${ended}\n${program.stdout}\n${program.stderr}`);
    const statuses = [...program.stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status));
    return { stdout: program.stdout, statuses };
  }

  /** Starts what stays in a terminal of its own, and returns what it has printed when it is up. */
  async runInBackground(script: string): Promise<string> {
    const program = start(["bash", "-c", script], this.#cwd, this.#env);
    const command = script.split(" ").slice(0, 2).join(" ");
    this.#running.push({ program, ports: [], command });
    await runInBackground(program);
    return program.stdout;
  }

  /** Programs of other terminals that this code starts once more. */
  #others(code: string) {
    return this.#running.filter(({ command }) => command !== undefined && code.includes(command));
  }

  async close(): Promise<void> {
    for (const { program } of this.#running) await stop(program);
  }

  async #takeState(): Promise<void> {
    const left = await readFile(this.#state, "utf8").catch(() => "");
    const pairs = left.split("\0").map((line) => line.split(/=(.*)/s, 2) as [string, string]);
    const { CWD, ...set } = Object.fromEntries(pairs.filter(([name]) => name && name !== "_"));
    if (CWD) [this.#cwd, this.#env] = [CWD, set];
  }
}

const portsIn = (code: string, ports: readonly number[]) => ports.filter((port) => code.includes(String(port)));

/** Called with the ports on which a program has begun to serve. */
export type Serving = (ports: readonly number[], program: Program) => Promise<void>;
