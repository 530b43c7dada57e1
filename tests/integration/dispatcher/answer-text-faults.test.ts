import { beforeAll, describe, expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ hasDispatcher: true, keepsReceived: true }, (made) => {
  ({ receiver, harness } = made);
});

const long = "x".repeat(1_023);
/** The answer's body by path. The first attempt is answered with 500, every other one with 200. */
const bodies = new Map<string, Buffer>();
beforeAll(() => {
  receiver.respond(({ path, headers }, response) =>
    response.writeHead(headers["x-service-attempt"] === "1" ? 500 : 200).end(bodies.get(path)),
  );
});

describe.concurrent("a failed answer whose body is", () => {
  it.each<[string, Buffer, string]>([
    ["NUL and text", Buffer.from("a\u0000b"), "a\ufffdb"],
    ["NUL alone", Buffer.alloc(3), "\ufffd".repeat(3)],
    ["no UTF-8", Buffer.from("61ff6280", "hex"), "a\ufffdb\ufffd"],
    ["a lone half of a surrogate pair, written as bytes", Buffer.from("61eda08062", "hex"), "a\ufffd\ufffd\ufffdb"],
    ["an emoji on the last place that is kept", Buffer.from(`${long}😀😀`), `${long}😀`],
    ["an emoji cut in its middle", Buffer.from("a😀").subarray(0, 3), "a\ufffd"],
    ["what ends a line, a string or an array in SQL", Buffer.from(`"'\\{},NULL\r\n`), `"'\\{},NULL\r\n`],
  ])("%s is recorded as clean text, and its schedule is retried", async (_title, body, text) => {
    const account = await harness.account({ settings: { retry_attempts: 1 } });
    bodies.set(`/${account.id}`, body);
    const id = await harness.schedule(account, `${receiver.origin}/${account.id}`, new Date(Date.now() + 300));
    await waitFor("it has succeeded", async () => (await harness.read(id)).status === "succeeded");
    expect(await harness.attempts(id)).toMatchObject([
      { outcome: "rejected", status_code: 500, error_text: text },
      { outcome: "delivered", status_code: 200, error_text: "" },
    ]);
  });
});
