// Guards: dispatcher/sending/**, dispatcher/admission/**, dispatcher/connections/**
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createDispatchHarness } from "../../helpers/dispatch-harness.ts";
import { drip, pour, type RawBehaviour, startRawServer } from "../../helpers/raw-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const CASES: Record<string, RawBehaviour> = {
  "is endless": {
    onRequest: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      pour(socket, Buffer.alloc(65_536, "a"));
    },
  },
  "drips until the deadline": {
    onRequest: (socket) => {
      socket.write("HTTP/1.0 500 No\r\n\r\n");
      drip(socket, 500, () => "a");
    },
  },
};

describe("a dispatcher process", () => {
  it.each(Object.entries(CASES))("survives an answer without a length and %s", async (_title, behaviour) => {
    const server = await startRawServer(behaviour);
    const url = `http://127.0.0.1:${server.port}`;
    const harness = await createDispatchHarness({ DELIVERY_ALLOW: url });
    const child = await harness.process();
    const exited = once(child, "exit");
    try {
      const account = await harness.account({ settings: { retry_attempts: 0 } });
      const id = await harness.schedule(account, `${url}/`, new Date(Date.now() + 500), { payload: "x" });
      await waitFor(
        "it ends",
        async () => ["succeeded", "dead"].includes((await harness.read(id)).status) || child.exitCode !== null,
        45_000,
      );
      await waitFor("its connection is gone", () => server.connections() === 0);
      expect(await harness.attempts(id)).toHaveLength(1);
      child.kill("SIGTERM");
      expect(await exited).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      await exited;
      await harness.close();
      await server.close();
    }
  });
});
