import { fileURLToPath } from "node:url";
import { startProgram } from "../../scripts/lab/program.ts";

export type ToReceiver = { kind: "expect"; jobs: number; answered: number } | { kind: "count" } | { kind: "collect" };

export type Arrivals = {
  /** The arrival of job n, epoch ms with fractions; NaN when it never arrived. */
  arrivals: Float64Array;
  /** Requests that arrived again. */
  duplicates: number;
  /** The latest first arrival of an answered job, epoch ms; null when none arrived. */
  lastAtMs: number | null;
};

export type ReceiverPorts = {
  port: number;
  /** The origin that never answers. */
  hangingPort: number;
  /** The origin that answers after 500 ms. */
  slowPort: number;
  /** Plain HTTP ports, reached under many names. */
  manyPorts: number[];
};

export type FromReceiver =
  | ({ kind: "listening" } & ReceiverPorts & { ca: string })
  | { kind: "expecting" }
  | { kind: "complete" }
  | { kind: "count"; arrived: number }
  | ({ kind: "arrivals" } & Arrivals);

export type Receiver = ReceiverPorts & {
  /** PEM of the authority that signed its certificate. */
  ca: string;
  /** Drops all records. From now on, jobs with a number below `answered` count. */
  expect(jobs: number, answered: number): Promise<void>;
  /** Whether every answered job arrived within `deadlineMs`. */
  complete(deadlineMs: number): Promise<boolean>;
  count(): Promise<number>;
  collect(): Promise<Arrivals>;
  close(): void;
};

/** Starts the receiver in a process of its own. */
export async function startReceiver(): Promise<Receiver> {
  const program = fileURLToPath(new URL("./receiver-process.ts", import.meta.url));
  const receiver = startProgram([program], { name: "the receiver", serialization: "advanced" });
  const next = <Kind extends FromReceiver["kind"]>(kind: Kind) =>
    receiver.next((message: FromReceiver): message is Extract<FromReceiver, { kind: Kind }> => message.kind === kind);
  const ask = <Kind extends FromReceiver["kind"]>(message: ToReceiver, kind: Kind) => {
    const answer = next(kind);
    receiver.child.send(message);
    return answer;
  };

  const { kind: _, ...listening } = await next("listening");
  let completed: Promise<unknown> = Promise.resolve();
  return {
    ...listening,
    async expect(jobs, answered) {
      completed = next("complete");
      completed.catch(() => {});
      await ask({ kind: "expect", jobs, answered }, "expecting");
    },
    async complete(deadlineMs) {
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), deadlineMs);
      });
      const came = await Promise.race([completed.then(() => true), deadline]);
      clearTimeout(timer);
      return came;
    },
    async count() {
      return (await ask({ kind: "count" }, "count")).arrived;
    },
    collect: () => ask({ kind: "collect" }, "arrivals"),
    close: () => void receiver.kill(),
  };
}
