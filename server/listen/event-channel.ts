import { ByteLengthQueuingStrategy } from "node:stream/web";

/**
 * The writing end of a stream of events. It holds what its reader has not taken yet. Before it writes something large,
 * a writer looks at `isIdle`, and goes on at `onIdle`, so that a slow reader does not grow memory.
 */
export class EventChannel {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** `onIdle`: the reader has taken all. `onGone`: the reader went away. */
  constructor({ onIdle, onGone }: { onIdle: () => void; onGone: () => void }) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: onIdle,
        cancel: () => {
          this.#controller = undefined;
          onGone();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
    );
  }

  get isIdle(): boolean {
    return this.#controller !== undefined && (this.#controller.desiredSize ?? 0) > 0;
  }

  get heldBytes(): number {
    return this.#controller === undefined ? 0 : 1 - (this.#controller.desiredSize ?? 1);
  }

  /** Writes text behind what is held. Does nothing once the channel is closed. */
  write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  /** Ends the stream behind what is held. */
  close(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }
}

const encoder = new TextEncoder();
