import { parentPort, Worker, workerData } from "node:worker_threads";

/**
 * A thread that answers one question after the other, for work that takes too long for the event loop. It starts with the first
 * question, and again after it has ended. `data` is what it starts with.
 */
export class AskedThread<Question, Answer> {
  readonly #module: URL;
  readonly #data: unknown;
  #worker: Worker | undefined;

  constructor(module: URL, data: unknown) {
    this.#module = module;
    this.#data = data;
  }

  /** Asks it; one question at a time. Resolves with undefined when the thread ends without an answer. */
  ask(question: Question): Promise<Answer | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve) => {
      const end = (answer?: Answer) => {
        worker.off("message", end).off("exit", onExit);
        resolve(answer);
      };
      const onExit = () => end();
      worker.once("message", end).once("exit", onExit);
      worker.postMessage(question);
    });
  }

  /** Ends the thread. Whoever waits for an answer gets undefined. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { workerData: this.#data });
    worker.unref();
    // Its exit follows.
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

/** For the module of such a thread: answers each question. `start` gets the data that the thread started with. */
export function answerQuestions<Data, Question, Answer>(start: (data: Data) => (question: Question) => Answer): void {
  const answer = start(workerData as Data);
  parentPort?.on("message", (question: Question) => parentPort?.postMessage(answer(question)));
}
