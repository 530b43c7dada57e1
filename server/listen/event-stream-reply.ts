/** The answer with a stream of events; with null, its head alone. */
export function eventStream(content: ReadableStream<Uint8Array> | null) {
  return {
    status: 200 as const,
    body: undefined,
    headers: {
      "Cache-Control": "no-store, no-transform",
      // nginx would hold events back.
      "X-Accel-Buffering": "no",
      // Not used again, so that a process that stops need not wait for it.
      Connection: "close",
      ...(content === null && { "Content-Type": TYPE }),
    },
    ...(content !== null && { stream: { type: TYPE, content } }),
  };
}

const TYPE = "text/event-stream";
